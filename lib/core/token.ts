import type { Claim } from './claim.js';
import type { AcquireAnswer, Unknown } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import type { Votes } from './votes.js';

/** The fencing token where all votes agree, which is the usual case; undefined where they do not. */
export function commonToken(answers: readonly (AcquireAnswer | undefined)[]): number | undefined {
  let token: number | undefined;
  for (const answer of answers) {
    if (answer?.kind !== 'granted') continue;
    if (token !== undefined && token !== answer.fence) return undefined;
    token = answer.fence;
  }
  return token;
}

/** Gives the claim its token; nodes that are known to have another counter are told when it is released. */
export function settle(claim: Claim, token: number, answers: readonly (AcquireAnswer | undefined)[]): void {
  claim.token = token;
  for (const answer of answers) if (answer) noteLate(claim, answer);
}

/** What comes after the token is known. */
export function noteLate(claim: Claim, answer: AcquireAnswer | Unknown): void {
  if (claim.token === 0 || answer.kind === 'unknown') return;
  if (answer.kind !== 'granted' || answer.fence !== claim.token) claim.diverged = true;
}

/**
 * Where the counters of the votes differ too much for a token to stand: lifts those that are behind, under our own value, and
 * calls `changed` with every answer. More votes may settle it first.
 */
export function raiseLaggards(
  pool: NodePool,
  claim: Claim,
  { votes, changed }: { readonly votes: Votes; readonly changed: () => void },
): void {
  const found = votes.token(pool.clock);
  if (!found || found.stands) return;
  for (const seat of votes.below(found.token, pool.clock)) {
    const answered = ({ kind }: { readonly kind: string }): void => {
      if (kind === 'raised') votes.raised(seat, found.token);
      if (kind === 'gone') votes.drop(seat);
      changed();
    };
    pool.raise(claim, seat, { token: found.token, answered });
  }
}
