import type { Claim } from './claim.js';
import type { Question, ReleaseAnswer, Unknown } from './lock-node.js';

/** A question to a single node. */
export class SingleCall<A> implements Question<A> {
  proposal = 0;

  constructor(
    readonly claim: Claim,
    readonly ttl: number,
    private readonly answered: (answer: A | Unknown) => void = () => undefined,
  ) {}

  answer(_seat: number, answer: A | Unknown): void {
    this.answered(answer);
  }
}

/** A release by a claim that goes on: until it is answered, nothing counts that the node gives it, and without an answer never. */
export function returnedVote(claim: Claim, ttl: number, nodeIndex: number): SingleCall<ReleaseAnswer> {
  claim.doubt(nodeIndex);
  return new SingleCall<ReleaseAnswer>(claim, ttl, ({ kind }) => {
    if (kind !== 'unknown') claim.resolveDoubt(nodeIndex);
  });
}
