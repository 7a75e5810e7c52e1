import type { Claim } from './claim.js';
import type { Question, Unknown } from './lock-node.js';

/** A question to a single node. */
export class Aside<A> implements Question<A> {
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
