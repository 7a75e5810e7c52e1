import type { QuorumCall } from './quorum-call.js';
import type { Claim } from '../port/claim.js';
import type { Clock } from '../time/clock.js';
import type { AcquireAnswer, Unknown } from '../port/lock-node.js';
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

/** Gives the claim its token; nodes that are known to have another counter, also from what comes late, are told when it is released. */
export function settle(
  quorumCall: Pick<QuorumCall<AcquireAnswer>, 'claim' | 'answers' | 'tellLate'>,
  token: number,
): void {
  const { claim, answers } = quorumCall;
  claim.token = token;
  claim.oldest = Infinity;
  for (const answer of answers) if (answer) noteLate(claim, answer);
  quorumCall.tellLate((_seat, answer) => noteLate(claim, answer));
}

/** The same by votes of which each says more or less; false where no token stands yet. */
export function settleByVotes(claim: Claim, votes: Votes, clock: Clock): boolean {
  const found = votes.token(clock);
  if (!found?.stands) return false;
  claim.token = found.token;
  claim.tokens = found.tokens;
  claim.diverged = votes.differFrom(found.token);
  claim.oldest = votes.oldest(clock);
  return true;
}

/** What comes after the token is known. */
export function noteLate(claim: Claim, answer: AcquireAnswer | Unknown): void {
  if (claim.token === 0 || answer.kind === 'unknown') return;
  if (answer.kind !== 'granted' || answer.fence !== claim.token) claim.diverged = true;
  if (answer.kind === 'granted') claim.oldest = Math.min(claim.oldest, answer.oldest ?? 0);
}

/** Ms in which votes that are on their way settle most differences by themselves. */
const GATHERING = 1;

interface Laggards {
  readonly votes: Votes;
  /** Whether more votes may be on their way. */
  readonly awaited: boolean;
  /** Called with every answer. */
  readonly changed: () => void;
}

/**
 * Where the counters of the votes differ too much for a token to stand: lifts those that are behind, under our own value. More
 * votes may settle it first; returns what then makes this unnecessary.
 */
export function raiseLaggards(pool: NodePool, claim: Claim, laggards: Laggards): () => void {
  if (laggards.awaited) return pool.clock.schedule(GATHERING, () => raise(pool, claim, laggards));
  raise(pool, claim, laggards);
  return () => undefined;
}

function raise(pool: NodePool, claim: Claim, { votes, changed }: Laggards): void {
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
