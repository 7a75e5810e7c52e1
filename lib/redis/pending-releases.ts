import type { Clock } from '../engine/clock.js';
import type { ReleaseOperation, SettleOperation } from '../engine/lock-node.js';

/** Ms until a release that a node has answered with an error is tried again; each further pause is twice as long. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;
/** How many releases are sent to a node in one call. */
const MOST_AT_ONCE = 100;

interface Pending {
  readonly operation: ReleaseOperation;
  /** Keeps the reply of the work under the lock: whoever gets the lock next has to find it. */
  readonly settling: SettleOperation | undefined;
  /** Ms on the monotonic clock: the lease has expired then. */
  readonly until: number;
}

/** The releases that did not reach a node, or that it answered with an error. Each is pending until the lease has expired by itself. */
export class PendingReleases {
  /** By resource and value. A release that only leaves the queue has no value. */
  readonly #pending = new Map<string, Pending>();
  #pause = FIRST_PAUSE;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(
    private readonly clock: Clock,
    /** Sends releases if the node can be reached, and returns whether it can; calls `answered` after the answers. */
    private readonly send: (
      operations: readonly (SettleOperation | ReleaseOperation)[],
      answered: () => void,
    ) => boolean,
  ) {}

  /** Adds a release, without its place in the queue: if anybody still waits, a later attempt has taken the place again. */
  add({ place: _place, ...operation }: ReleaseOperation, settling?: SettleOperation): void {
    if (this.#isClosed) return;
    const key = keyOf(operation);
    const until = this.#pending.get(key)?.until ?? this.clock.now().monotonic + operation.ttl;
    const what = operation.what === 'leave' ? 'leave' : 'stay';
    this.#pending.set(key, { operation: { ...operation, what }, settling, until });
    this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#again());
  }

  /** The node has answered a release. */
  done(operation: ReleaseOperation): void {
    if (this.#pending.size === 0) return;
    if (this.#pending.delete(keyOf(operation)) && this.#pending.size === 0) this.#pause = FIRST_PAUSE;
  }

  /** Sends the pending releases to a node that can be reached: some at a time, and the next ones as soon as the node has done these. */
  flush(): void {
    const now = this.clock.now().monotonic;
    const some: Pending[] = [];
    for (const [key, pending] of this.#pending) {
      if (pending.until <= now) this.#pending.delete(key);
      else if (some.push(pending) === MOST_AT_ONCE) break;
    }
    if (some.length === 0) return;
    const operations = some.flatMap(({ settling, operation }) => (settling ? [settling, operation] : [operation]));
    const answered = (): void => {
      if (!some.some(({ operation }) => this.#pending.has(keyOf(operation)))) this.flush();
    };
    if (!this.send(operations, answered)) this.#pause = FIRST_PAUSE;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#pending.clear();
  }

  #again(): void {
    this.#stopTimer = undefined;
    this.#pause = Math.min(LONGEST_PAUSE, 2 * this.#pause);
    this.flush();
    if (this.#pending.size > 0) this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#again());
  }
}

function keyOf({ resource, value }: ReleaseOperation): string {
  return `${resource} ${value}`;
}
