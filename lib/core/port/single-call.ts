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

/**
 * Returns a question that gives a vote back while its claim goes on. Votes of the node for this claim do not count until the node has
 * answered; without a usable answer they never count again.
 */
export function returnedVote(claim: Claim, ttl: number, nodeIndex: number): SingleCall<ReleaseAnswer> {
  claim.doubt(nodeIndex);
  return new SingleCall<ReleaseAnswer>(claim, ttl, ({ kind }) => {
    if (kind !== 'unknown') claim.resolveDoubt(nodeIndex);
  });
}
