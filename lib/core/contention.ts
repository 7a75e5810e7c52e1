import { attempt, type Attempt, type LeaseTerms } from './attempt.js';
import { elapsed } from './clock.js';
import { QuorumNotReachedError, ResourceLockedError, type RedlockError } from './errors.js';
import type { NodePool } from './node-pool.js';
import type { Patience } from './patience.js';
import { retryDelay, SPLIT_VOTE_ROUNDS, splitVoteDelay, type RetryPolicy } from './retry.js';

type Won = Extract<Attempt, { kind: 'won' }>;
type Lost = Exclude<Attempt, Won>;

export interface Contender {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms & RetryPolicy;
  readonly patience: Patience;
  /** Told once, when the resources were found held. */
  readonly onContended: () => void;
}

/** Tries again and again until the resources are ours, or until time, count or a signal ends it. */
export async function contend(pool: NodePool, contender: Contender): Promise<Won & { readonly attempts: number }> {
  const { patience, terms } = contender;
  let contended = false;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await voteUntilClear(pool, contender);
    if (outcome.kind === 'won') return { ...outcome, attempts };
    if (outcome.kind === 'contended' && !contended) contender.onContended();
    contended ||= outcome.kind === 'contended';
    const left = patience.left(attempts);
    if (left <= 0) throw errorOf(outcome, contender.resources);
    await patience.pause(Math.min(left, retryDelay(terms, pool.random)));
  }
}

/**
 * One attempt; repeated at once where rivals split the votes, since then nobody holds the resource. A rival comes with a new
 * value each time: who is still there with the old one is no rival, but a holder or a leftover.
 */
async function voteUntilClear(pool: NodePool, contender: Contender): Promise<Attempt> {
  const { patience } = contender;
  const seen = new Set<string>();
  for (let round = 0; ; round += 1) {
    const since = pool.clock.now();
    const outcome = await attemptUnlessAborted(pool, contender);
    const rivals = outcome.kind === 'contended' ? outcome.rivals.filter((owner) => !seen.has(owner)) : [];
    const left = patience.leftForVote;
    if (rivals.length === 0 || round === SPLIT_VOTE_ROUNDS || left <= 0) return outcome;
    for (const owner of rivals) seen.add(owner);
    await patience.pause(Math.min(left, splitVoteDelay(round, elapsed(since, pool.clock.now()), pool.random)));
  }
}

async function attemptUnlessAborted(pool: NodePool, { patience, resources, terms }: Contender): Promise<Attempt> {
  patience.throwIfAborted();
  const outcome = await attempt(pool, resources, terms);
  if (outcome.kind === 'won' && patience.aborted) pool.release(outcome.claim, terms.ttl);
  patience.throwIfAborted();
  return outcome;
}

function errorOf(outcome: Lost, resources: readonly string[]): RedlockError {
  if (outcome.kind === 'contended') return new ResourceLockedError(resources, outcome.retryAfter, outcome.nodes);
  const why = outcome.kind === 'too slow' ? 'the answers took longer than the lease lasts' : 'too few nodes answered';
  return new QuorumNotReachedError(resources, outcome.nodes, why);
}
