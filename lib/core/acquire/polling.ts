import { elapsed } from '../time/clock.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { Random } from '../collections/random.js';
import type { Denied, Won } from '../quorum/outcome/outcome.js';
import { acquiredOf, requestError, type AcquireRequest, type Acquired } from './request.js';
import { retryDelay } from './retry.js';
import { singleRound } from './single-round.js';

/** Polls the nodes, without a place in line, until the caller has the resources; throws if the time, the retry count or an abort ends that. */
export async function poll(pool: NodePool, request: AcquireRequest): Promise<Acquired> {
  const { budget, terms } = request;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await roundsUntilClear(pool, request);
    if (outcome.kind === 'won') return acquiredOf(outcome, attempts);
    request.report(outcome);
    const remaining = budget.remainingAfter(outcome, attempts);
    if (remaining <= 0) throw requestError(outcome, request);
    await budget.pause(Math.min(remaining, retryDelay(terms, pool.random)));
  }
}

/** How often at most a round is repeated within one attempt, because rivals split the votes. */
export const RIVAL_REPEATS = 8;

/** How many timeouts of the nodes a round lasts at most. A process that is blocked takes longer, but the nodes did not. */
const LONGEST_ROUND = 2;

/**
 * Returns the ms until a round in which rivals split the votes is repeated. The delay is short, because nobody holds the resource. It is random
 * and grows with the number of repeats, so that one of many rivals sooner or later asks alone.
 */
export function rivalDelay(repeats: number, roundTrip: number, random: Random): number {
  return 1 + random.fraction() * (roundTrip + 2) * 2 ** Math.min(repeats, 3);
}

/**
 * Makes one attempt: a round that is repeated after a short pause if rivals who poll as well split the votes, because then nobody holds the
 * resource. A rival uses a new value for each round. So an owner that is seen twice with one value is a holder, a leftover key or a waiter in
 * line, but no rival.
 */
async function roundsUntilClear(pool: NodePool, request: AcquireRequest): Promise<Won | Denied> {
  const { budget, terms } = request;
  const seen = new Set<string>();
  for (let repeats = 0; ; repeats += 1) {
    const since = pool.clock.now();
    const outcome = await singleRoundUnlessAborted(pool, request);
    const rivals = outcome.kind === 'contended' ? outcome.rivals.filter((owner) => !seen.has(owner)) : [];
    const remaining = budget.remainingForVote;
    if (rivals.length === 0 || repeats === RIVAL_REPEATS || remaining <= 0) return outcome;
    for (const owner of rivals) seen.add(owner);
    const roundTrip = Math.min(elapsed(since, pool.clock.now()), LONGEST_ROUND * pool.timeoutFor(terms.ttl));
    await budget.pause(Math.min(remaining, rivalDelay(repeats, roundTrip, pool.random)));
  }
}

export async function singleRoundUnlessAborted(pool: NodePool, request: AcquireRequest): Promise<Won | Denied> {
  const { budget, terms } = request;
  budget.throwIfAborted();
  const outcome = await singleRound(pool, request);
  if (outcome.kind === 'won' && budget.aborted) pool.release(outcome.claim, terms.ttl);
  budget.throwIfAborted();
  return outcome;
}
