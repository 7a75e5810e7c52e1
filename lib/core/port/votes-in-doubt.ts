import { Claim } from './claim.js';
import type { LockNode, Question, ReleaseAnswer, YieldAnswer } from './lock-node.js';
import { SingleCall, type Answered } from './single-call.js';

/**
 * What is asked of a node so that it takes a vote away from a claim which goes on, and what then does not count.
 *
 * A vote that is given back does not count from then on: `Claim.doubt` drops what was counted, `InLineAcquisition.granted` and `QuorumCall.answer` let
 * no new vote in, and `ClaimInLine.next` goes on under a new value, which no earlier command has. The answer to the release ends the doubt.
 */

/** Whose vote it is, and the ttl that it was asked for with. */
type VoteTerms = Pick<Question<unknown>, 'claim' | 'ttl'>;

/**
 * Returns a question that gives a vote back, and with it the place in line, while the claim goes on. Votes of the node for this claim do not count
 * until the node has answered; without a usable answer they never count again.
 */
export function giveBackQuestion(
  { claim, ttl }: VoteTerms,
  nodeIndex: number,
  answered?: Answered<ReleaseAnswer>,
): SingleCall<ReleaseAnswer> {
  return new SingleCall(claim, ttl, doubtfulUntil(claim, nodeIndex, answered));
}

/**
 * Stops counting votes of `node` for a claim, because of an answer that must not count. While the claim has no lock, the vote is given back. Once it
 * may have one, a release could delete a key that belongs to it, because the node may have voted for the same claim before: so the vote stays there.
 */
export function rejectVote(node: Pick<LockNode, 'release'>, vote: VoteTerms, nodeIndex: number): void {
  if (vote.claim.mustKeepVotes) vote.claim.doubt(nodeIndex);
  else node.release(giveBackQuestion(vote, nodeIndex), nodeIndex);
}

/** Returns a question that passes a vote on to an older waiter. If it may have been sent and is not answered, the vote never counts again. */
export function yieldQuestion(claim: Claim, ttl: number, answered: Answered<YieldAnswer>): SingleCall<YieldAnswer> {
  return new SingleCall<YieldAnswer>(claim, ttl, (answer, nodeIndex) => {
    if (answer.kind === 'unknown' && answer.sent) claim.doubt(nodeIndex);
    answered(answer, nodeIndex);
  });
}

/** Returns a question that gives a vote back like `giveBackQuestion`, but keeps the place in line. */
export function giveWayQuestion(
  { claim, ttl }: VoteTerms,
  nodeIndex: number,
  answered: Answered<ReleaseAnswer>,
): SingleCall<ReleaseAnswer> {
  // Without a place, so that the waiter keeps its places in line.
  const vote = new Claim(claim.resources, claim.value);
  return new SingleCall(vote, ttl, doubtfulUntil(claim, nodeIndex, answered));
}

/**
 * Begins a doubt, and returns what ends it with the answer to the release. A release without a usable answer is owed: it is sent again later, and
 * may then give away a newer vote. So may one that the node gets only after a later question, because it had forgotten the script.
 */
function doubtfulUntil(
  claim: Claim,
  nodeIndex: number,
  answered: Answered<ReleaseAnswer> = () => undefined,
): Answered<ReleaseAnswer> {
  claim.doubt(nodeIndex);
  return (answer, index) => {
    if (answer.kind !== 'unknown') claim.resolveDoubt(nodeIndex);
    answered(answer, index);
  };
}
