import { Claim } from './claim.js';
import type { LockNode, Question, ReleaseAnswer, Unknown, YieldAnswer } from './lock-node.js';

/** The vote that is given back: whose it is, and for how long the claim was asked for. */
type Returned = Pick<Question<unknown>, 'claim' | 'ttl'>;

type Answered<A> = (answer: A | Unknown, nodeIndex: number) => void;

/** A question to a single node. */
export class SingleCall<A> implements Question<A> {
  proposal = 0;
  tokens = 1;

  constructor(
    readonly claim: Claim,
    readonly ttl: number,
    private readonly answered: Answered<A> = () => undefined,
  ) {}

  answer(nodeIndex: number, answer: A | Unknown): void {
    this.answered(answer, nodeIndex);
  }
}

/**
 * Returns a question that gives a vote back while its claim goes on. Votes of the node for this claim do not count until the node has
 * answered; without a usable answer they never count again.
 */
export function questionToReturn(
  { claim, ttl }: Returned,
  nodeIndex: number,
  answered?: Answered<ReleaseAnswer>,
): SingleCall<ReleaseAnswer> {
  return new SingleCall(claim, ttl, doubtfulUntil(claim, nodeIndex, answered));
}

/**
 * Gives back a vote of `node` that must not count, unless the claim is decided: the node may have voted for it before, and that vote may have given
 * the lock. Then nothing is given back, but no vote of the node for this claim counts any more.
 */
export function rejectVote(node: Pick<LockNode, 'release'>, returned: Returned, nodeIndex: number): void {
  if (returned.claim.isDecided) returned.claim.doubt(nodeIndex);
  else node.release(questionToReturn(returned, nodeIndex), nodeIndex);
}

/** Returns a question that passes a vote on to an older waiter. If it may have been sent and is not answered, the vote never counts again. */
export function questionToYield(claim: Claim, ttl: number, answered: Answered<YieldAnswer>): SingleCall<YieldAnswer> {
  return new SingleCall<YieldAnswer>(claim, ttl, (answer, nodeIndex) => {
    if (answer.kind === 'unknown' && answer.sent) claim.doubt(nodeIndex);
    answered(answer, nodeIndex);
  });
}

/** Returns a question that gives a vote back like `questionToReturn`, but keeps the place in line. */
export function questionToGiveWay(
  { claim, ttl }: Returned,
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
