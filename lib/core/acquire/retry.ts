import type { Random } from '../collections/random.js';

export interface RetryPolicy {
  readonly retryDelay: number;
  readonly retryJitter: number;
}

/** Returns the ms until the next attempt: `retryDelay` plus or minus up to `retryJitter`, so that rivals do not meet again (Redis page). */
export function retryDelay(policy: RetryPolicy, random: Random): number {
  return Math.max(1, policy.retryDelay + (random.fraction() * 2 - 1) * policy.retryJitter);
}

/** How often at most a split vote is repeated within one attempt. */
export const SPLIT_VOTE_ROUNDS = 8;

/**
 * Returns the ms until a split vote is repeated. The delay is short, because nobody holds the resource. It is random and grows with the number
 * of rounds, so that one of many rivals sooner or later asks alone.
 */
export function splitVoteDelay(round: number, roundTrip: number, random: Random): number {
  return 1 + random.fraction() * (roundTrip + 2) * 2 ** Math.min(round, 3);
}
