import type { NodePool } from '../../quorum/node-pool.js';
import type { Won } from '../../quorum/outcome/outcome.js';
import type { Moment } from '../../time/clock.js';
import { driftOf } from '../../time/validity.js';
import type { AcquireRequest } from '../request.js';

/**
 * Ms: callers that come within this time after the first holder took the lock count as having come together with it. The lock may pass to
 * such callers of the same process, and the nodes are not asked who came first. Clocks of different machines seldom agree better than that.
 */
export const PASSING_WINDOW = 5;

/** The share of the ttl that may already be used up when a lock passes to the next caller of the same process. */
export const PASSING_SHORTFALL = 0.05;

/**
 * The callers that come while their process has the lock, and to which the lock can pass without the nodes. Such a caller counts as having come
 * at the end of that time, or as near to the end as `PASSING_WINDOW` allows. Example: four callers of one process use a lock in turn, and each
 * asks for it again after its release. With their own dates, callers of other processes would come between any two of them, and every hand-off
 * would go through the nodes. With a common date they follow each other, and then the next process has its turn.
 */
export class Cohort {
  /** Ms on the monotonic clock: when the process gave the lock back while callers waited in its queue. Undefined until then. */
  #end: number | undefined;

  end(now: number): void {
    this.#end = now;
  }

  /** Returns whether a caller that came at `came` belongs to the cohort; it must have come at most `PASSING_WINDOW` ms after the end. */
  includes(came: number): boolean {
    return this.#end === undefined || came - this.#end <= PASSING_WINDOW;
  }

  /** Returns the ms on the monotonic clock at which a caller of this cohort counts as having come. */
  dateOf(came: number): number {
    if (this.#end === undefined) return came;
    return Math.max(came - PASSING_WINDOW, Math.min(came + PASSING_WINDOW, this.#end));
  }
}

/**
 * Returns whether a lock may pass to the next caller of this process without asking the nodes who is next, as a cohort lock does (Dice, Marathe
 * and Shavit 2012). Only callers that came together with the first holder have it one after the other: a caller that came while that one had the
 * lock waits for the next vote of the nodes, and the lock passes on from there.
 */
export function mayPass(
  { claim, validity, passes, firstTaken }: Required<Won>,
  { terms, budget, value }: AcquireRequest,
  { now, pool }: { readonly now: Moment; readonly pool: Pick<NodePool, 'dateOf'> },
): boolean {
  // The next caller wants a part of a lock on several resources. All parts of that lock need one value, and this claim has another one.
  if (value !== undefined) return false;
  const isTokenLeft = passes < claim.tokens - 1;
  if (!isTokenLeft) return false;
  const cameTogether = budget.arrived <= firstTaken.monotonic + PASSING_WINDOW;
  if (!cameTogether) return false;
  // Of the waiters in other processes, as the nodes reported them last.
  const isOldest = claim.oldest === Infinity || pool.dateOf(budget.arrival) <= claim.oldest / 1_000;
  if (!isOldest) return false;
  const spent = terms.ttl - driftOf(terms.ttl, terms.driftFactor) - validity.remainingAt(now);
  return spent >= 0 && spent <= terms.ttl * PASSING_SHORTFALL;
}
