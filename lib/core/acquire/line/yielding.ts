import { SingleCall } from '../../port/single-call.js';
import { mayHave } from '../attempt.js';
import { Claim } from '../../port/claim.js';
import type { AcquireAnswer, ReleaseAnswer, Unknown, YieldAnswer } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Votes } from '../../quorum/votes.js';

interface Yielder {
  readonly votes: Votes;
  readonly ttl: number;
  /** Told when it is known what came of a vote that was to be given away. */
  readonly yielded: () => void;
}

/** Gives away the votes of a waiter that has too few of them. */
export class Surrender {
  constructor(
    private readonly pool: NodePool,
    private readonly claim: Claim,
    private readonly yielder: Yielder,
  ) {}

  /**
   * Leaves to older waiters what we have in vain, so that of rivals the oldest gets it everywhere. Most nodes that have not
   * answered yet are about to refuse: they are asked by `yieldLate`.
   */
  yieldVotes(answers: readonly (AcquireAnswer | Unknown | undefined)[]): void {
    answers.forEach((answer, nodeIndex) => {
      if (this.yielder.votes.has(nodeIndex) || (answer && mayHave(answer))) this.#yield(nodeIndex);
    });
  }

  /** The same with what comes later, unless it is what was missing. */
  yieldLate(nodeIndex: number, answer: AcquireAnswer | Unknown): void {
    if (mayHave(answer) && !this.yielder.votes.quorum(this.pool.clock)) this.#yield(nodeIndex);
  }

  /** Where nodes see the waiters in different orders, each insists on its votes until one of them does not. */
  giveWay(): void {
    // Without a ticket, so that the places in the lines of the other nodes are kept.
    const claim = new Claim(this.claim.resources, this.claim.value);
    const { votes, ttl } = this.yielder;
    this.pool.nodes.forEach((node, nodeIndex) => {
      if (!votes.has(nodeIndex)) return;
      votes.yielding(nodeIndex);
      const answered = (answer: ReleaseAnswer): void => {
        // What could not be sent is owed, and sent later.
        if (answer.kind === 'unknown') this.claim.doubt(nodeIndex);
        votes.yielded(nodeIndex, false);
      };
      node.release(new SingleCall(claim, ttl, answered), nodeIndex);
    });
  }

  #yield(nodeIndex: number): void {
    const { votes, ttl, yielded } = this.yielder;
    votes.yielding(nodeIndex);
    const answered = (answer: YieldAnswer): void => {
      if (answer.kind === 'unknown' && answer.sent) this.claim.doubt(nodeIndex);
      votes.yielded(nodeIndex, answer.kind === 'kept');
      yielded();
    };
    this.pool.nodes[nodeIndex]!.yield(new SingleCall<YieldAnswer>(this.claim, ttl, answered), nodeIndex);
  }
}
