import type { Claim } from './claim.js';
import type { Question, Unknown } from './lock-node.js';

/** Called with the answer to a question, and the index of the node. */
export type Answered<A> = (answer: A | Unknown, nodeIndex: number) => void;

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
