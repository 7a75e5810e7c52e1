import type { Quit } from './call-options.js';
import { elapsed, type Moment } from './clock.js';
import type { NodePool } from './node-pool.js';
import type { Lost } from './outcome.js';
import type { Stop } from './stop.js';
import type { Tenure } from './tenure.js';
import { Wait, type WaitEnd } from './wait.js';

export interface PatienceTerms {
  readonly waitTimeout: number;
  readonly retryCount: number;
  readonly retryDelay: number;
  readonly signal?: Quit | undefined;
}

/** How long one caller goes on trying, and what ends it early. */
export class Patience {
  /** The time in which the process of the caller had the lock when the caller came. */
  tenure: Tenure | undefined;
  readonly #since: Moment;

  constructor(
    private readonly pool: Pick<NodePool, 'clock' | 'agenda'>,
    private readonly terms: PatienceTerms,
    /** Stops when the pool shuts down. */
    private readonly closing: Stop,
  ) {
    this.#since = pool.clock.now();
  }

  /** When the caller asked. */
  get since(): Moment {
    return this.#since;
  }

  /** Ms on the monotonic clock, by which it is told who came first. */
  get arrived(): number {
    const came = this.#since.monotonic;
    return this.tenure ? this.tenure.dateOf(came) : came;
  }

  /** The same as a moment. */
  get arrival(): Moment {
    const { monotonic, wall } = this.#since;
    const { arrived } = this;
    return arrived === monotonic ? this.#since : { monotonic: arrived, wall: wall + arrived - monotonic };
  }

  /** Ms since the caller asked. */
  get waited(): number {
    return this.waitedUntil(this.pool.clock.now());
  }

  waitedUntil(now: Moment): number {
    return elapsed(this.#since, now);
  }

  /** Ms left to wait after so many attempts; zero or less where the caller has had enough. */
  left(attempts: number): number {
    return attempts > this.terms.retryCount ? 0 : this.terms.waitTimeout - this.waited;
  }

  /** The same after one that came to this: nothing is left where there is no quorum before the time is up, whichever nodes come back. */
  leftAfter(outcome: Lost, attempts: number): number {
    return outcome.kind === 'quarantined' && this.#end < outcome.earliest ? 0 : this.left(attempts);
  }

  /** Ms left at `now` to wait behind others, who try in our place: no longer than our own tries would take. */
  leftInLine(now: Moment): number {
    const { waitTimeout, retryCount, retryDelay } = this.terms;
    return Math.min(waitTimeout, retryCount === Infinity ? Infinity : retryCount * retryDelay) - this.waitedUntil(now);
  }

  /** Ms for which a vote may be repeated; without limit for a caller that does not wait, since it counts rounds. */
  get leftForVote(): number {
    return this.leftForVoteAt(this.pool.clock.now().monotonic);
  }

  leftForVoteAt(monotonic: number): number {
    return this.terms.waitTimeout === 0 ? Infinity : this.#end - monotonic;
  }

  /** When the time is up, ms on the monotonic clock. */
  get #end(): number {
    return this.#since.monotonic + this.terms.waitTimeout;
  }

  get aborted(): boolean {
    return this.closing.reason !== undefined || this.terms.signal?.aborted === true;
  }

  throwIfAborted(): void {
    if (this.closing.reason !== undefined) throw this.closing.reason;
    this.terms.signal?.throwIfAborted();
  }

  /** Tells `end` once, `delay` ms after `now` or when something aborts before that; returns what ends the watch. */
  watch(delay: number, end: WaitEnd, now?: Moment): () => void {
    const { agenda } = this.pool;
    const wait = new Wait(agenda, { closing: this.closing, signal: this.terms.signal }, end);
    if (delay < Infinity) agenda.add(delay, wait, now);
    return () => wait.stop();
  }

  /**
   * Resolves after `delay` ms, or when the function given to `early` is called; rejects with the reason of whatever aborts
   * before.
   */
  async pause(delay: number, early: (wake: () => void) => void = ignore): Promise<void> {
    this.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = this.watch(delay, { timeout: resolve, abort: reject });
      early(() => {
        stop();
        resolve();
      });
    });
  }
}

function ignore(): void {
  // Nothing wakes this pause.
}
