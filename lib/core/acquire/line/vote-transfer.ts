import type { AcquireAnswer, Unknown, YieldAnswer } from '../../port/lock-node.js';
import { giveWayQuestion, yieldQuestion } from '../../port/votes-in-doubt.js';
import { mayHave } from '../../quorum/outcome/node-outcome.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { OwnClaim } from '../../quorum/own-claim.js';
import type { Votes } from '../../quorum/votes.js';

interface Yielder {
  readonly votes: Votes;
  readonly ttl: number;
  /** Called when a node has answered whether it kept a vote or passed it on. */
  readonly yielded: () => void;
}

/**
 * Gives away the votes of a waiter that has too few of them for a quorum: to older waiters with each round that is denied (yield), and to the one that
 * is next when a stalemate has lasted for too long (give way).
 */
export class VoteTransfer {
  constructor(
    private readonly pool: NodePool,
    private readonly claim: OwnClaim,
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
    const { votes, ttl } = this.yielder;
    const answered = (_answer: unknown, nodeIndex: number): void => votes.gaveAway(nodeIndex);
    this.pool.nodes.forEach((node, nodeIndex) => {
      if (!votes.has(nodeIndex)) return;
      // The question also puts the claim in doubt about the node, for longer than until the answer where none comes.
      votes.givingAway(nodeIndex);
      node.release(giveWayQuestion({ claim: this.claim, ttl }, nodeIndex, answered), nodeIndex);
    });
  }

  #yield(nodeIndex: number): void {
    const { votes, ttl, yielded } = this.yielder;
    votes.givingAway(nodeIndex);
    const answered = ({ kind }: YieldAnswer): void => {
      if (kind === 'kept') votes.kept(nodeIndex);
      else votes.gaveAway(nodeIndex);
      yielded();
    };
    this.pool.nodes[nodeIndex]!.yield(yieldQuestion(this.claim, ttl, answered), nodeIndex);
  }
}
