import type { QuorumCall } from './quorum-call.js';
import type { Clock } from '../time/clock.js';
import type { AcquireAnswer, Unknown } from '../port/lock-node.js';
import type { NodePool } from './node-pool.js';
import type { OwnClaim } from './own-claim.js';
import type { Votes } from './votes.js';

/** Returns the fencing token if all votes agree on it, which is the usual case; else undefined. */
export function commonToken(answers: readonly (AcquireAnswer | undefined)[]): number | undefined {
  let token: number | undefined;
  for (const answer of answers) {
    if (answer?.kind !== 'granted') continue;
    if (token !== undefined && token !== answer.fence) return undefined;
    token = answer.fence;
  }
  return token;
}

/**
 * Gives the claim its token, and records whether an answer, also a late one, shows a node with another counter. In that case, the release
 * of the claim raises the counters.
 */
export function agreeOnCommonToken(
  quorumCall: Pick<QuorumCall<AcquireAnswer>, 'claim' | 'answers' | 'whenLate'>,
  token: number,
): void {
  const { claim, answers } = quorumCall;
  claim.agree(token);
  for (const answer of answers) if (answer) noteLate(claim, answer);
  quorumCall.whenLate((_nodeIndex, answer) => noteLate(claim, answer));
}

/** Gives the claim its token by votes that may differ from each other; returns false if no token stands yet. */
export function agreeByVotes(claim: OwnClaim, votes: Votes, clock: Clock): boolean {
  const found = votes.token(clock);
  if (!found?.stands) return false;
  const { token, tokens } = found;
  claim.agreeOn({ token, tokens, oldest: votes.oldest(clock), isDiverged: votes.differFrom(token) });
  return true;
}

/** Records what an answer says about counters and waiters, once the token of the claim is known. */
export function noteLate(claim: OwnClaim, answer: AcquireAnswer | Unknown): void {
  if (claim.token !== 0 && answer.kind !== 'unknown') claim.note(answer);
}

/** Ms to wait for votes that are on their way: in most cases they settle the difference without a raise. */
const GATHERING = 1;

interface RaiseTerms {
  readonly votes: Votes;
  /** True if more votes may be on their way. */
  readonly awaited: boolean;
  /** Called after every answer to a raise. */
  readonly changed: () => void;
}

/**
 * Raises the counters that are behind, if the counters of the votes differ too much for a token to stand. The raise carries the value of the
 * claim, so that a node can say that it no longer has the claim. More votes may settle the difference first: the returned function then
 * cancels the raise.
 */
export function raiseNodesBehind(pool: NodePool, claim: OwnClaim, terms: RaiseTerms): () => void {
  if (terms.awaited) return pool.clock.schedule(GATHERING, () => raise(pool, claim, terms));
  raise(pool, claim, terms);
  return () => undefined;
}

function raise(pool: NodePool, claim: OwnClaim, { votes, changed }: RaiseTerms): void {
  const found = votes.token(pool.clock);
  if (!found || found.stands) return;
  for (const nodeIndex of votes.below(found.token, pool.clock)) {
    const answered = ({ kind }: { readonly kind: string }): void => {
      if (kind === 'raised') votes.raised(nodeIndex, found);
      if (kind === 'gone') votes.drop(nodeIndex);
      changed();
    };
    pool.raise(claim, nodeIndex, { ...found, answered });
  }
}
