import { attempt } from './attempt.js';
import type { LeaseTerms } from '../time/validity.js';
import { elapsed } from '../time/clock.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { RedlockError } from '../api/errors.js';
import { errorOf, type Denied, type Won } from '../quorum/outcome.js';
import type { Lock } from '../api/lock.js';
import type { WaitBudget } from '../quorum/wait-budget.js';
import { retryDelay, SPLIT_VOTE_ROUNDS, splitVoteDelay, type RetryPolicy } from './retry.js';

/** Which caller wants what, and for how long it goes on trying. */
export interface AcquireRequest {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms & RetryPolicy;
  readonly budget: WaitBudget;
  /** All that the caller wants, where this is one part of it. */
  readonly wanted?: readonly string[] | undefined;
  /** The owner's mark under which it is taken, where other parts are taken under the same one. @default a new one */
  readonly value?: string | undefined;
  /** Told what each attempt in vain came to. */
  onLost(outcome: Pick<Denied, 'kind'>): void;
}

/** Told of what becomes of a caller in line. */
export interface InLineListener {
  /** Whether other callers of this process want the same. */
  readonly isContended: boolean;
  lost(outcome: Denied): void;
  gaveUp(): void;
}

/** A won claim, and after how many attempts. */
export type Acquired = Won & {
  readonly attempts: number;
  /** The leases under which its parts were held, in whose place the lock stands in the lines of this process. */
  readonly parts?: readonly Lock[];
};

/** Name by name, since V8 makes a new hidden class for such an object where it is spread. */
export function acquiredOf({ claim, validity }: Won, attempts: number): Acquired {
  return { kind: 'won', claim, validity, attempts };
}

/** The error for a caller who has had enough after this. */
export function requestError(outcome: Denied, { resources, wanted = resources }: AcquireRequest): RedlockError {
  return errorOf(outcome, wanted);
}

/** Tries again and again, without a place in line, until the resources are ours, or time, count or a signal ends it. */
export async function contend(pool: NodePool, request: AcquireRequest): Promise<Acquired> {
  const { budget, terms } = request;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await voteUntilClear(pool, request);
    if (outcome.kind === 'won') return acquiredOf(outcome, attempts);
    request.onLost(outcome);
    const left = budget.leftAfter(outcome, attempts);
    if (left <= 0) throw requestError(outcome, request);
    await budget.pause(Math.min(left, retryDelay(terms, pool.random)));
  }
}

/**
 * One attempt; repeated at once where rivals split the votes, since then nobody holds the resource. A rival comes with a new
 * value each time: who is still there with the old one is no rival, but a holder, a leftover, or somebody who waits in line.
 */
async function voteUntilClear(pool: NodePool, request: AcquireRequest): Promise<Won | Denied> {
  const { budget } = request;
  const seen = new Set<string>();
  for (let round = 0; ; round += 1) {
    const since = pool.clock.now();
    const outcome = await attemptUnlessAborted(pool, request);
    const rivals = outcome.kind === 'contended' ? outcome.rivals.filter((owner) => !seen.has(owner)) : [];
    const left = budget.leftForVote;
    if (rivals.length === 0 || round === SPLIT_VOTE_ROUNDS || left <= 0) return outcome;
    for (const owner of rivals) seen.add(owner);
    await budget.pause(Math.min(left, splitVoteDelay(round, elapsed(since, pool.clock.now()), pool.random)));
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
