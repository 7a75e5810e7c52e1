import type { Random } from '../collections/random.js';

export interface RetryPolicy {
  readonly retryDelay: number;
  readonly retryJitter: number;
}

/** Ms until the next try: `retryDelay` give or take `retryJitter`, so that rivals do not meet again (Redis page). */
export function retryDelay(policy: RetryPolicy, random: Random): number {
  return Math.max(1, policy.retryDelay + (random.fraction() * 2 - 1) * policy.retryJitter);
}

/** How often a split vote is repeated within one attempt. */
export const SPLIT_VOTE_ROUNDS = 8;

/**
 * Ms until a split vote is repeated: short, since nobody holds the resource, random, and growing with the number of
 * rounds, so that of many rivals one comes to be alone.
 */
export function splitVoteDelay(round: number, roundTrip: number, random: Random): number {
  return 1 + random.fraction() * (roundTrip + 2) * 2 ** Math.min(round, 3);
}
