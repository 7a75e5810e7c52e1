import type { Clock } from '../engine/clock.js';
import type { ReleaseOperation } from '../engine/lock-node.js';

/** Ms until a release that a node has answered with an error is tried again; each further pause is twice as long. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;
/** How many releases are sent to a node in one call. */
const MOST_AT_ONCE = 100;

interface Owed {
  readonly operation: ReleaseOperation;
  /** Ms on the monotonic clock: the lease is over by itself then. */
  readonly until: number;
}

/** The releases that a node could not be told: it was away, or answered with an error. Each is owed until the lease would be over by itself. */
export class OwedReleases {
  /** By resource and value. A release that only leaves the queue has no value. */
  readonly #owed = new Map<string, Owed>();
  #pause = FIRST_PAUSE;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(
    private readonly clock: Clock,
    /** Sends releases if the node can be reached, and returns whether it can; calls `answered` after the answers. */
    private readonly send: (operations: readonly ReleaseOperation[], answered: () => void) => boolean,
  ) {}

  /** Owes a release, without its place in the queue: if anybody still waits, a later attempt has taken the place again. */
  add({ place: _place, ...operation }: ReleaseOperation): void {
    if (this.#isClosed) return;
    const key = keyOf(operation);
    const until = this.#owed.get(key)?.until ?? this.clock.now().monotonic + operation.ttl;
    const what = operation.what === 'leave' ? 'leave' : 'nothing';
    this.#owed.set(key, { operation: { ...operation, what }, until });
    this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#again());
  }

  /** The node has answered a release. */
  done(operation: ReleaseOperation): void {
    if (this.#owed.size === 0) return;
    if (this.#owed.delete(keyOf(operation)) && this.#owed.size === 0) this.#pause = FIRST_PAUSE;
  }

  /** Sends what is owed, now that the node can be reached: some of it at a time, and the rest as soon as the node has done that. */
  pay(): void {
    const now = this.clock.now().monotonic;
    const operations: ReleaseOperation[] = [];
    for (const [key, { operation, until }] of this.#owed) {
      if (until <= now) this.#owed.delete(key);
      else if (operations.push(operation) === MOST_AT_ONCE) break;
    }
    if (operations.length === 0) return;
    const answered = (): void => {
      if (!operations.some((operation) => this.#owed.has(keyOf(operation)))) this.pay();
    };
    if (!this.send(operations, answered)) this.#pause = FIRST_PAUSE;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#owed.clear();
  }

  #again(): void {
    this.#stopTimer = undefined;
    this.#pause = Math.min(LONGEST_PAUSE, 2 * this.#pause);
    this.pay();
    if (this.#owed.size > 0) this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#again());
  }
}

function keyOf({ resource, value }: ReleaseOperation): string {
  return `${resource} ${value}`;
}
