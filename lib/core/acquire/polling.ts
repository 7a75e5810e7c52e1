import { attempt } from './attempt.js';
import type { LeaseTerms } from '../time/validity.js';
import { elapsed } from '../time/clock.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { RedlockError } from '../api/errors.js';
import { errorOf, type Denied, type Won } from '../quorum/outcome.js';
import type { Held } from '../lease/lease-context.js';
import type { WaitBudget } from '../quorum/wait-budget.js';
import { retryDelay, SPLIT_VOTE_ROUNDS, splitVoteDelay, type RetryPolicy } from './retry.js';

export interface AcquireRequest {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms & RetryPolicy;
  readonly budget: WaitBudget;
  /** All resources that the caller wants, if this request is for only one of them. */
  readonly wanted?: readonly string[] | undefined;
  /** The owner's random value, if other parts of the same lock share it. @default a new value */
  readonly value?: string | undefined;
  /** Called each time the resources are denied. */
  onDenied(outcome: Pick<Denied, 'kind'>): void;
}

/** The line of a process, as the acquisition of its first caller sees it. */
export interface InLineListener {
  /** Whether other callers of this process want the same resource. */
  readonly isContended: boolean;
  denied(outcome: Denied): void;
  gaveUp(): void;
}

/** A won claim, and the number of attempts that it took. */
export type Acquired = Won & {
  readonly attempts: number;
  /** The leases of the parts of a lock on several resources. The lock takes their place in the lines of this process. */
  readonly parts?: readonly Held[];
};

/** Returns the error for a caller that gives up after this outcome; it names all resources that the caller wants. */
export function requestError(outcome: Denied, { resources, wanted = resources }: AcquireRequest): RedlockError {
  return errorOf(outcome, wanted);
}

/** Polls the nodes, without a place in line, until the caller has the resources; throws if the time, the retry count or an abort ends that. */
export async function contend(pool: NodePool, request: AcquireRequest): Promise<Acquired> {
  const { budget, terms } = request;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await voteUntilClear(pool, request);
    if (outcome.kind === 'won') return { ...outcome, attempts };
    request.onDenied(outcome);
    const remaining = budget.remainingAfter(outcome, attempts);
    if (remaining <= 0) throw requestError(outcome, request);
    await budget.pause(Math.min(remaining, retryDelay(terms, pool.random)));
  }
}

/**
 * Makes one attempt, and repeats it after a short pause if rivals split the votes, because then nobody holds the resource. A rival uses a new
 * value for each attempt. So an owner that is seen twice with one value is a holder, a leftover key or a waiter in line, but no rival.
 */
async function voteUntilClear(pool: NodePool, request: AcquireRequest): Promise<Won | Denied> {
  const { budget } = request;
  const seen = new Set<string>();
  for (let round = 0; ; round += 1) {
    const since = pool.clock.now();
    const outcome = await attemptUnlessAborted(pool, request);
    const rivals = outcome.kind === 'contended' ? outcome.rivals.filter((owner) => !seen.has(owner)) : [];
    const remaining = budget.remainingForVote;
    if (rivals.length === 0 || round === SPLIT_VOTE_ROUNDS || remaining <= 0) return outcome;
    for (const owner of rivals) seen.add(owner);
    await budget.pause(Math.min(remaining, splitVoteDelay(round, elapsed(since, pool.clock.now()), pool.random)));
  }
}

export async function attemptUnlessAborted(pool: NodePool, request: AcquireRequest): Promise<Won | Denied> {
  const { budget, terms } = request;
  budget.throwIfAborted();
  const outcome = await attempt(pool, request);
  if (outcome.kind === 'won' && budget.aborted) pool.release(outcome.claim, terms.ttl);
  budget.throwIfAborted();
  return outcome;
}
