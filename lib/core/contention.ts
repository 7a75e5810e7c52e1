import { attempt, type LeaseTerms } from './attempt.js';
import { elapsed } from './clock.js';
import type { NodePool } from './node-pool.js';
import type { RedlockError } from './errors.js';
import { errorOf, type Lost, type Won } from './outcome.js';
import type { Lease } from './lease.js';
import type { Patience } from './patience.js';
import { retryDelay, SPLIT_VOTE_ROUNDS, splitVoteDelay, type RetryPolicy } from './retry.js';

/** Which caller wants what, and for how long it goes on trying. */
export interface Contest {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms & RetryPolicy;
  readonly patience: Patience;
  /** All that the caller wants, where this is one part of it. */
  readonly wanted?: readonly string[] | undefined;
  /** The owner's mark under which it is taken, where other parts are taken under the same one. @default a new one */
  readonly value?: string | undefined;
  /** Told what each attempt in vain came to. */
  onLost(outcome: Pick<Lost, 'kind'>): void;
}

/** Told of what becomes of a contender. */
export interface ContenderListener {
  /** Whether other callers of this process want the same. */
  readonly isContended: boolean;
  lost(outcome: Lost): void;
  gaveUp(): void;
}

/** A won claim, and after how many attempts. */
export type Victory = Won & {
  readonly attempts: number;
  /** The leases under which its parts were held, in whose place the lock stands in the lines of this process. */
  readonly parts?: readonly Lease[];
};

/** Name by name, since V8 makes a new hidden class for such an object where it is spread. */
export function victoryOf({ claim, validity }: Won, attempts: number): Victory {
  return { kind: 'won', claim, validity, attempts };
}

/** The error for a caller who has had enough after this. */
export function contestError(outcome: Lost, { resources, wanted = resources }: Contest): RedlockError {
  return errorOf(outcome, wanted);
}

/** Tries again and again, without a place in line, until the resources are ours, or time, count or a signal ends it. */
export async function contend(pool: NodePool, contest: Contest): Promise<Victory> {
  const { patience, terms } = contest;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await voteUntilClear(pool, contest);
    if (outcome.kind === 'won') return victoryOf(outcome, attempts);
    contest.onLost(outcome);
    const left = patience.leftAfter(outcome, attempts);
    if (left <= 0) throw contestError(outcome, contest);
    await patience.pause(Math.min(left, retryDelay(terms, pool.random)));
  }
}

/**
 * One attempt; repeated at once where rivals split the votes, since then nobody holds the resource. A rival comes with a new
 * value each time: who is still there with the old one is no rival, but a holder, a leftover, or somebody who waits in line.
 */
async function voteUntilClear(pool: NodePool, contest: Contest): Promise<Won | Lost> {
  const { patience } = contest;
  const seen = new Set<string>();
  for (let round = 0; ; round += 1) {
    const since = pool.clock.now();
    const outcome = await attemptUnlessAborted(pool, contest);
    const rivals = outcome.kind === 'contended' ? outcome.rivals.filter((owner) => !seen.has(owner)) : [];
    const left = patience.leftForVote;
    if (rivals.length === 0 || round === SPLIT_VOTE_ROUNDS || left <= 0) return outcome;
    for (const owner of rivals) seen.add(owner);
    await patience.pause(Math.min(left, splitVoteDelay(round, elapsed(since, pool.clock.now()), pool.random)));
  }
}

export async function attemptUnlessAborted(pool: NodePool, contest: Contest): Promise<Won | Lost> {
  const { patience, terms } = contest;
  patience.throwIfAborted();
  const outcome = await attempt(pool, contest);
  if (outcome.kind === 'won' && patience.aborted) pool.release(outcome.claim, terms.ttl);
  patience.throwIfAborted();
  return outcome;
}
