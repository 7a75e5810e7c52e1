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

  constructor(private readonly maxTtl: number) {}

  /** The address leads to this server now, as a connection has found that just began, or that counts from now on. */
  arrive(server: Arrival): void {
    const before = this.#server;
    if (server === before) return;
    if (before && server.asked >= this.#mayVoteFrom) this.#noteVoter(before.run!, before.asked);
    this.#server = server.run === undefined ? undefined : server;
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

  /** Takes by how much the clock of the server is ahead of ours, which tells when its quarantine began: at the latest when we asked it. */
  noteClock({ most }: Bounds): void {
    if (this.#server?.since === undefined) return;
    this.#mayVoteFrom = Math.min(this.#server.since - most, this.#server.asked) + this.maxTtl;
  }

  /**
   * Returns since when the server must not vote because of locks that the voter before it may have granted; undefined where it may vote, or waits
   * by its own marker. The server may have been a node elsewhere at a time at which that voter was here: then the address has moved since, and the
   * voter may have granted locks until now.
   */
  outSince({ least, most }: Bounds, now: number): number | undefined {
    const { run, since } = this.#server ?? {};
    if (since === undefined || this.#voter === undefined || run === this.#voter) return undefined;
    if (since - least < this.#voterAt) return now;
    return since - most < this.#voterAt ? this.#voterAt : undefined;
  }

  #noteVoter(run: string, at: number): void {
    this.#voterAt = run === this.#voter ? Math.max(this.#voterAt, at) : at;
    this.#voter = run;
  }
}
