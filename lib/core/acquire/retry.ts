import type { Random } from '../collections/random.js';
import { LONGEST_SILENCE_IN_LINE } from '../port/claim.js';
import type { WaitTerms } from '../quorum/outcome/wait-budget.js';

type RetryTerms = Pick<WaitTerms, 'retryDelay' | 'retryJitter'>;

/** Returns the ms until the next attempt: `retryDelay` plus or minus up to `retryJitter`, so that rivals do not meet again (Redis page). */
export function retryDelay(terms: RetryTerms, random: Random): number {
  return Math.max(1, terms.retryDelay + (random.fraction() * 2 - 1) * terms.retryJitter);
}

/**
 * Returns the ms after which a waiter in line asks the nodes again, unless grants come before that: as often as a caller that polls, and at the
 * latest when its time is up. A long `retryDelay` is cut, because the nodes forget a waiter that is silent.
 */
export function askAgainIn(remaining: number, terms: RetryTerms, random: Random): number {
  return Math.min(remaining, LONGEST_SILENCE_IN_LINE, retryDelay(terms, random));
}
