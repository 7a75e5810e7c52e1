import { Claim } from './claim.js';
import type { Question, ReleaseAnswer, Unknown, YieldAnswer } from './lock-node.js';

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
 * Returns whether a vote that does not count may be given back. Once the wait of its claim is over, it may not: the node may have voted for the
 * claim before, and that vote may have given the lock. (If the wait ended without the lock, the claim is released on all nodes anyway.)
 */
export function mayReturn({ place }: Claim): boolean {
  return place === undefined || place.isWaiting;
}

/**
 * Returns a question that gives a vote back while its claim goes on. Votes of the node for this claim do not count until the node has
 * answered; without a usable answer they never count again.
 */
export function questionToReturn(claim: Claim, ttl: number, nodeIndex: number): SingleCall<ReleaseAnswer> {
  claim.doubt(nodeIndex);
  return new SingleCall<ReleaseAnswer>(claim, ttl, ({ kind }) => {
    if (kind !== 'unknown') claim.resolveDoubt(nodeIndex);
  });
}

/** Returns a question that passes a vote on to an older waiter. If it may have been sent and is not answered, the vote never counts again. */
export function questionToYield(claim: Claim, ttl: number, answered: Answered<YieldAnswer>): SingleCall<YieldAnswer> {
  return new SingleCall<YieldAnswer>(claim, ttl, (answer, nodeIndex) => {
    if (answer.kind === 'unknown' && answer.sent) claim.doubt(nodeIndex);
    answered(answer, nodeIndex);
  });
}

/** Returns a question that gives a vote back, but keeps the place in line. If it is not answered, votes of the node never count again. */
export function questionToGiveWay(
  claim: Claim,
  ttl: number,
  answered: Answered<ReleaseAnswer>,
): SingleCall<ReleaseAnswer> {
  // Without a place, so that the waiter keeps its places in line.
  const vote = new Claim(claim.resources, claim.value);
  return new SingleCall<ReleaseAnswer>(vote, ttl, (answer, nodeIndex) => {
    // A release without an answer is owed: it is sent again later, and may then give away a newer vote.
    if (answer.kind === 'unknown') claim.doubt(nodeIndex);
    answered(answer, nodeIndex);
  });
}
