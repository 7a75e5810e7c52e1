import { SingleCall } from '../../port/single-call.js';
import { mayHave } from '../round.js';
import { Claim } from '../../port/claim.js';
import type { AcquireAnswer, ReleaseAnswer, Unknown, YieldAnswer } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Votes } from '../../quorum/votes.js';

interface Yielder {
  readonly votes: Votes;
  readonly ttl: number;
  /** Called when a node has answered whether it kept a vote or passed it on. */
  readonly yielded: () => void;
}

/** Gives away the votes of a waiter that has too few of them for a quorum. */
export class Surrender {
  constructor(
    private readonly pool: NodePool,
    private readonly claim: Claim,
    private readonly yielder: Yielder,
  ) {}

  /**
   * Passes votes that are too few on to older waiters, so that the oldest of all rivals gets the resource on every node. Nodes that have not
   * answered yet are left to `yieldLate`, because most of them are about to refuse.
   */
  yieldVotes(answers: readonly (AcquireAnswer | Unknown | undefined)[]): void {
    answers.forEach((answer, nodeIndex) => {
      if (this.yielder.votes.has(nodeIndex) || (answer && mayHave(answer))) this.#yield(nodeIndex);
    });
  }

  /** Passes a vote that comes late on to an older waiter, unless the vote completes a quorum. */
  yieldLate(nodeIndex: number, answer: AcquireAnswer | Unknown): void {
    if (mayHave(answer) && !this.yielder.votes.quorum(this.pool.clock)) this.#yield(nodeIndex);
  }

  /** Gives all votes back, even to younger waiters. If the nodes see the waiters in different orders, nobody wins until one of them gives way. */
  giveWay(): void {
    // Without a ticket, so that the waiter keeps its places in line.
    const claim = new Claim(this.claim.resources, this.claim.value);
    const { votes, ttl } = this.yielder;
    this.pool.nodes.forEach((node, nodeIndex) => {
      if (!votes.has(nodeIndex)) return;
      votes.yielding(nodeIndex);
      const answered = (answer: ReleaseAnswer): void => {
        // A release without an answer is owed: it is sent again later, and may then give away a newer vote.
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
