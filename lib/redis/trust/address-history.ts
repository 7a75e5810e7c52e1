import type { Bounds } from '../../core/port/lock-node.js';
import type { Moment } from '../../core/time/clock.js';

/** A server to which an address came to lead. */
export interface Arrival {
  /** Undefined where it does not say which one it is. */
  readonly run: string | undefined;
  /**
   * Since when it has been a node of locks, by its own marker: ms on its own clock. Undefined where it is new to locks; -Infinity where it has a
   * marker that cannot be read.
   */
  readonly since: number | undefined;
  /** When it was asked that, ms on our monotonic clock. */
  readonly asked: number;
}

/** Unsure where the clock of the server is not known closely enough. */
export type Verdict = 'may vote' | 'has to wait' | 'unsure';

/** The answers that show that a server has locks, whether it votes now or not. */
const SHOW_LOCKS: ReadonlySet<string> = new Set(['granted', 'held', 'extended']);
/** The answers that do not show that a server votes. */
const SHOW_NO_VOTER: ReadonlySet<string> = new Set(['unknown', 'quarantined']);

/**
 * Remembers on which server the locks rest that were granted over one address. The address may come to lead to another server, which knows nothing
 * of these locks, also where it has been up and voting elsewhere for long. All times are ms on our monotonic clock unless it says otherwise.
 */
export class AddressHistory {
  /** The run that could grant locks at this address last, and when we last knew that it could; undefined before any run could. */
  #voter: string | undefined;
  #voterAt = -Infinity;
  /** The server to which the address leads now, and the earliest time at which it can have granted a lock, to us or to others. */
  #server: Arrival | undefined;
  #mayVoteFrom = 0;
  #isUnsure = false;

  constructor(private readonly maxTtl: number) {}

  /** The address leads to this server now, as a connection has found that just began, or that counts from now on. */
  arrive(server: Arrival): void {
    const before = this.#server;
    if (server === before) return;
    if (before && server.asked >= this.#mayVoteFrom) this.#noteVoter(before.run!, before.asked);
    this.#server = server.run === undefined ? undefined : server;
    this.#isUnsure = false;
    // What was known of the same run is still true.
    if (server.run === before?.run) return;
    this.#mayVoteFrom = server.since === undefined ? server.asked + this.maxTtl : server.asked;
  }

  /** Takes what the server answers to a question that was sent at `sent`. */
  note(answer: string, sent: Moment | undefined): void {
    if (!sent || !this.#server || SHOW_NO_VOTER.has(answer)) return;
    if (sent.monotonic >= this.#mayVoteFrom || SHOW_LOCKS.has(answer))
      this.#noteVoter(this.#server.run!, sent.monotonic);
  }

  /**
   * Returns whether the server has to wait because of locks that the voter before it may have granted; `ahead` is the distance of its clock from
   * ours. If the server was a node elsewhere at a time at which that voter was here, the address has moved since, and the voter may have granted
   * locks until now. A server that became a node later waits by its own marker.
   */
  judge(ahead: Bounds): Verdict {
    const { run, since, asked } = this.#server ?? {};
    if (since === undefined) return 'may vote';
    // Its quarantine began when we asked it at the latest.
    this.#mayVoteFrom = Math.min(since - ahead.most, asked!) + this.maxTtl;
    return this.#voter === undefined || run === this.#voter ? 'may vote' : this.#compared(since, ahead);
  }

  /** Being unsure twice means to wait: the clock is not going to be known better soon. */
  #compared(since: number, { least, most }: Bounds): Verdict {
    if (since - most >= this.#voterAt) return 'may vote';
    const isUnsure = since - least >= this.#voterAt && !this.#isUnsure;
    this.#isUnsure = isUnsure;
    return isUnsure ? 'unsure' : 'has to wait';
  }

  #noteVoter(run: string, at: number): void {
    this.#voterAt = run === this.#voter ? Math.max(this.#voterAt, at) : at;
    this.#voter = run;
  }
}
