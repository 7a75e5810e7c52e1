import { elapsed, type Moment } from '../../time/clock.js';
import type { NodePool } from '../node-pool.js';
import type { QuorumCall, Decision } from '../quorum-call.js';
import type { Denied, Won } from './outcome.js';
import type { PreparedOptions } from '../../api/options.js';
import type { AbortSource } from '../../time/abort.js';
import { Wait, type WaitEnd } from '../../time/wait.js';

/** Ms: if the nodes may take longer than this, a call ends early when its caller aborts. Shorter calls are not watched for that. */
const LONG = 100;
/** Ms that the last round of a caller may take, even if the caller has less time left or none. */
const LAST_ROUND = 50;

/** Ms that the agreement on a token may take once a quorum has voted, even if the caller has less time left or none. */
const LAST_AGREEMENT = 250;

/** The options that say how long a caller waits, and how often it asks. */
export type WaitTerms = Readonly<
  Pick<PreparedOptions, 'waitTimeout' | 'quorumTimeout' | 'retryCount' | 'retryDelay' | 'retryJitter' | 'signal'>
>;

/** Gives the arrival date of a caller that came while its process had the lock. */
interface ArrivalDates {
  dateOf(came: number): number;
}

/** How long one caller goes on trying, and what ends its wait early. */
export class WaitBudget {
  /** The cohort of the caller, if its process had the lock when the caller came. */
  cohort: ArrivalDates | undefined;
  readonly #since: Moment;

  constructor(
    private readonly pool: Pick<NodePool, 'clock' | 'timerQueue' | 'quorumMissingSince'>,
    private readonly terms: WaitTerms,
    /** Aborts when the pool shuts down. */
    private readonly closing: AbortSource,
  ) {
    this.#since = pool.clock.now();
  }

  /** When the caller made its call. */
  get since(): Moment {
    return this.#since;
  }

  /** Ms on the monotonic clock: the arrival time that decides who came first. */
  get arrived(): number {
    const came = this.#since.monotonic;
    return this.cohort ? this.cohort.dateOf(came) : came;
  }

  /** The arrival time as a moment. */
  get arrival(): Moment {
    const { monotonic, wall } = this.#since;
    const { arrived } = this;
    return arrived === monotonic ? this.#since : { monotonic: arrived, wall: wall + arrived - monotonic };
  }

  /** Ms since the caller made its call. */
  get waited(): number {
    return this.waitedUntil(this.pool.clock.now());
  }

  waitedUntil(now: Moment): number {
    return elapsed(this.#since, now);
  }

  /** Returns the ms left to wait after so many attempts; zero or less if the caller is to give up. */
  remaining(attempts: number): number {
    return attempts > this.terms.retryCount ? 0 : this.terms.waitTimeout - this.waited;
  }

  /** Notes whether a quorum answered. All calls of a pool share that, so that callers in a queue do not wait for a quorum one after the other. */
  note(kind: (Won | Denied)['kind']): void {
    const { pool } = this;
    pool.quorumMissingSince = isMissing(kind) ? (pool.quorumMissingSince ?? pool.clock.now().monotonic) : undefined;
  }

  /**
   * Returns `remaining` after an attempt with this outcome. Where no quorum answers, no more than `quorumTimeout` is left, and 0 if no quorum can
   * vote before that, whichever nodes come back.
   */
  remainingAfter(outcome: Denied, attempts: number): number {
    const remaining = this.remaining(attempts);
    if (!isMissing(outcome.kind)) return remaining;
    const since = Math.max(this.#since.monotonic, this.pool.quorumMissingSince ?? 0);
    const end = Math.min(this.#end, since + this.terms.quorumTimeout);
    if (outcome.kind === 'quarantined' && end < outcome.earliest) return 0;
    return Math.min(remaining, end - this.pool.clock.now().monotonic);
  }

  /**
   * Returns the ms left at `now` to wait behind other callers of the process. They ask the nodes in place of this caller, so that the wait
   * is no longer than the attempts of this caller would take.
   */
  remainingInQueue(now: Moment): number {
    const { waitTimeout, retryCount, retryDelay } = this.terms;
    return Math.min(waitTimeout, retryCount === Infinity ? Infinity : retryCount * retryDelay) - this.waitedUntil(now);
  }

  /** Ms for which a vote may be repeated; Infinity for a caller that does not wait, since the number of its rounds is limited instead. */
  get remainingForVote(): number {
    return this.remainingForVoteAt(this.pool.clock.now().monotonic);
  }

  remainingForVoteAt(monotonic: number): number {
    return this.terms.waitTimeout === 0 ? Infinity : this.#end - monotonic;
  }

  /** Ms for which the first connection of the nodes may be waited for; Infinity for a caller that does not wait. */
  get remainingForOpening(): number {
    return Math.min(this.remainingForVote, this.terms.waitTimeout === 0 ? Infinity : this.terms.quorumTimeout);
  }

  /** Ms on the monotonic clock: when the time of the caller is up. */
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

  /** Calls `end` once, `delay` ms after `now` or when the wait is aborted before that; returns a function that ends the watch. */
  watch(delay: number, end: WaitEnd, now?: Moment): () => void {
    const { timerQueue } = this.pool;
    const wait = new Wait(timerQueue, { closing: this.closing, signal: this.terms.signal }, end);
    if (delay < Infinity) timerQueue.add(delay, wait, now);
    return () => wait.stop();
  }

  /**
   * Resolves after `delay` ms, or when the function given to `early` is called. If the wait is aborted before that, rejects with the reason
   * of the abort.
   */
  async pause(delay: number, early?: (wake: () => void) => void): Promise<void> {
    this.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = this.watch(delay, { timeout: resolve, abort: reject });
      early?.(() => {
        stop();
        resolve();
      });
    });
  }
}

/** Returns whether too few nodes answered, or vote, for anything to be decided. */
function isMissing(kind: (Won | Denied)['kind']): boolean {
  return kind === 'unavailable' || kind === 'quarantined';
}

/** Returns how many ms the nodes may take, from now on, to agree on a token. */
export function timeForToken(budget: WaitBudget): number {
  return Math.max(budget.remainingForVote, LAST_AGREEMENT);
}

/** Returns how many ms a round may take that begins now. */
export function timeForRound(budget: WaitBudget): number {
  return Math.max(budget.remainingForVote, LAST_ROUND);
}

/**
 * Calls `notify` once with the decision of a quorum call. If the time of the caller is up, or the caller aborts, before the timeout of the
 * nodes is over, the answers that are there decide. The timeout of the nodes is usually shorter than the time of the caller: then nothing
 * has to be watched.
 */
export function decideInTime(
  quorumCall: Pick<QuorumCall<never>, 'asked' | 'timeout' | 'cutShort' | 'whenDecided'>,
  budget: WaitBudget,
  notify: (decision: Decision) => void,
): void {
  // A listener of events may have aborted the call before this one was sent, and nobody tells of that again.
  if (budget.aborted) quorumCall.cutShort();
  const remaining = Math.max(budget.remainingForVoteAt(quorumCall.asked), LAST_ROUND);
  if (quorumCall.timeout <= Math.min(remaining, LONG)) return quorumCall.whenDecided(notify);
  const cut = (): void => quorumCall.cutShort();
  const stop = budget.watch(remaining, { timeout: cut, abort: cut });
  quorumCall.whenDecided((decision) => {
    stop();
    notify(decision);
  });
}
