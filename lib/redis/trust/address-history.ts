import type { Bounds } from '../../core/port/lock-node.js';
import type { Moment } from '../../core/time/clock.js';

/** The server to which an address leads. */
export interface Arrival {
  /** Undefined where it does not say which one it is. */
  readonly run: string | undefined;
  /** Since when it has been a node of locks, by its own marker: ms on its own clock; undefined where it is new to locks. */
  readonly since: number | undefined;
}

/** The answers that show that locks may rest on a server. */
const SHOW_LOCKS: ReadonlySet<string> = new Set(['granted', 'held', 'extended']);

/**
 * Remembers on which server the locks rest that were granted over one address. The address may come to lead to another server, which knows nothing
 * of these locks, also where it has been up and voting elsewhere for long. All times are ms on our monotonic clock unless it says otherwise.
 */
export class AddressHistory {
  /** The run on which locks may rest, as was last known at this time; undefined before anything is known. */
  #restingOn: string | undefined;
  #restingAt = -Infinity;
  #server: Arrival | undefined;
  #arrivedAt = 0;
  /** From when on the present server may vote, so that locks may rest on it although we are not told. */
  #mayVoteFrom = 0;

  constructor(private readonly maxTtl: number) {}

  /** The address leads to this server now. */
  arrive(server: Arrival, now: number): void {
    if (server === this.#server) return;
    if (this.#server && now >= this.#mayVoteFrom) this.#rest(this.#server.run, this.#arrivedAt);
    this.#server = server;
    this.#arrivedAt = now;
    this.#mayVoteFrom = server.since === undefined ? now + this.maxTtl : now;
  }

  /** Takes what the present server answers to a question that was sent at `sent`. */
  note(answer: string, sent: Moment | undefined): void {
    if (sent && this.#server && SHOW_LOCKS.has(answer)) this.#rest(this.#server.run, sent.monotonic);
  }

  /**
   * Returns since when the present server must not vote; undefined where it may. Locks may have been granted by the server before it as long as we
   * have heard of them; or until now, where the present server by its own marker was elsewhere at that time. `ahead` is the distance of its clock
   * from ours, if that is known.
   */
  outSince(ahead: Bounds | undefined, now: number): number | undefined {
    const { run, since } = this.#server!;
    const isNode = since !== undefined && ahead;
    // What we tell it now comes too late for what it may have granted to others who were here before us.
    if (isNode) this.#mayVoteFrom = Math.max(this.#mayVoteFrom, since - ahead.most + this.maxTtl);
    if (this.#restingOn === undefined || this.#restingOn === run) return undefined;
    return isNode && since - ahead.least < this.#restingAt ? now : this.#restingAt;
  }

  #rest(run: string | undefined, at: number): void {
    this.#restingAt = run === this.#restingOn ? Math.max(this.#restingAt, at) : at;
    this.#restingOn = run;
  }
}
