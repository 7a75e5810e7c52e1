import { PASSING_SHORTFALL, PASSING_WINDOW } from '../../port/hand-off.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Won } from '../../quorum/outcome.js';
import type { Moment } from '../../time/clock.js';
import { driftOf } from '../../time/validity.js';
import type { AcquireRequest } from '../polling.js';

/**
 * The callers of one process among whom a lock passes, and the time for which the process has it. A caller that comes within this time
 * counts as having come at its end, if the end is near. For example: four callers of one process use a lock in turn, and each asks for it again
 * after its release. By their own dates, callers of other processes would come between any two of them, and every hand-over would go
 * through the nodes. With a common date they follow each other, and then the next process has its turn.
 */
export class Cohort {
  /** Ms on the monotonic clock when the process gave the lock back while others waited here. */
  #end: number | undefined;

  end(now: number): void {
    this.#end = now;
  }

  /** Whether a caller that came then belongs to it: a moment after its end at the latest. */
  includes(came: number): boolean {
    return this.#end === undefined || came - this.#end <= PASSING_WINDOW;
  }

  /** When a caller of this cohort counts as having come, ms on the monotonic clock. */
  dateOf(came: number): number {
    if (this.#end === undefined) return came;
    return Math.max(came - PASSING_WINDOW, Math.min(came + PASSING_WINDOW, this.#end));
  }
}

/**
 * Whether a lock may pass to the next caller of this process without the nodes being asked who is next, as a cohort lock does
 * (Dice, Marathe and Shavit 2012): where that caller came before all others that they saw wait when they were asked last, and with a lease
 * that is still a whole one.
 */
export function mayPass(
  { claim, validity }: Won,
  { terms, budget, value }: AcquireRequest,
  { now, pool }: { readonly now: Moment; readonly pool: Pick<NodePool, 'dateOf'> },
): boolean {
  // A part of a lock on several resources: all parts have the same value, which is not that of this claim.
  if (value !== undefined) return false;
  const { oldest, passed, taken, tokens } = claim;
  if (passed >= tokens - 1 || budget.arrived > taken!.monotonic + PASSING_WINDOW) return false;
  if (oldest !== Infinity && pool.dateOf(budget.arrival) > oldest / 1_000) return false;
  const spent = terms.ttl - driftOf(terms.ttl, terms.driftFactor) - validity.remainingAt(now);
  return spent >= 0 && spent <= terms.ttl * PASSING_SHORTFALL;
}
