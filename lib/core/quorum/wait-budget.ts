import { elapsed, type Moment } from '../time/clock.js';
import type { NodePool } from './node-pool.js';
import type { Denied } from './outcome.js';
import type { AbortSignalLike, AbortSource } from '../time/abort.js';
import { Wait, type WaitEnd } from '../time/wait.js';

export interface WaitTerms {
  readonly waitTimeout: number;
  readonly retryCount: number;
  readonly retryDelay: number;
  readonly signal?: AbortSignalLike | undefined;
}

/** Tells by which date those count as having come who came while their process had the lock. */
interface ArrivalDates {
  dateOf(came: number): number;
}

/** How long one caller goes on trying, and what ends it early. */
export class WaitBudget {
  /** The time in which the process of the caller had the lock when the caller came. */
  cohort: ArrivalDates | undefined;
  readonly #since: Moment;

  constructor(
    private readonly pool: Pick<NodePool, 'clock' | 'timerQueue'>,
    private readonly terms: WaitTerms,
    /** Stops when the pool shuts down. */
    private readonly closing: AbortSource,
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
    return this.cohort ? this.cohort.dateOf(came) : came;
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
  leftAfter(outcome: Denied, attempts: number): number {
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
    const { timerQueue } = this.pool;
    const wait = new Wait(timerQueue, { closing: this.closing, signal: this.terms.signal }, end);
    if (delay < Infinity) timerQueue.add(delay, wait, now);
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
