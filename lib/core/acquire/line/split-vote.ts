import { elapsed, type Moment } from '../../time/clock.js';
import { SPLIT_VOTE_GRACE } from '../../port/hand-off.js';
import type { AcquireAnswer, Unknown } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { isSplit, type Denied } from '../../quorum/outcome.js';
import { quorumOf } from '../../quorum/quorum.js';

/** A vote that is not ours. */
interface Other {
  /** Undefined where the node has no vote to give. */
  readonly owner?: string;
  /** Ms until it ends, counted from when that was heard. */
  readonly remaining: number;
  readonly heard: Moment;
  readonly isRenewed: boolean;
}

/**
 * Decides how long a waiter keeps its votes while several waiters have some of them and none has a quorum. The votes of a waiter that has
 * died end by themselves. If nobody can have the resource before that, giving the own votes back would only cost the waiter its place in
 * line. Waiters that are alive renew their votes with every question. If the nodes saw them arrive in different orders, none of them could
 * ever win, so that one of them has to give its votes back.
 */
export class SplitVote {
  /** Since when they are split. */
  #since: Moment | undefined;
  /** By index, where they have been split for longer than the grace: until then those who have just got or extended one look alive. */
  #others: (Other | undefined)[] = [];

  constructor(private readonly pool: Pick<NodePool, 'clock' | 'random' | 'nodes'>) {}

  /** Takes note of what a node answered to what it was asked then. */
  heard(nodeIndex: number, answer: AcquireAnswer | Unknown, asked: Moment): void {
    this.#others[nodeIndex] = answer.kind === 'granted' ? undefined : this.#otherOf(nodeIndex, answer, asked);
  }

  /** Whether it ends after a round that came to this: at random, so that of rivals not all give way at once. */
  endsAfter(outcome: Denied): boolean {
    if (!isSplit(outcome)) {
      this.#since = undefined;
      return false;
    }
    const { clock, random } = this.pool;
    const now = clock.now();
    this.#since ??= now;
    if (elapsed(this.#since, now) <= SPLIT_VOTE_GRACE) {
      this.#others = [];
      return false;
    }
    return this.#canBeWon() && random.fraction() < 0.5;
  }

  /** Whether the living have enough votes, ours among them. */
  #canBeWon(): boolean {
    const all = this.pool.nodes.length;
    const stuck = this.#others.filter((other) => other && !other.isRenewed).length;
    return all - stuck >= quorumOf(all);
  }

  #otherOf(nodeIndex: number, answer: Exclude<AcquireAnswer | Unknown, { kind: 'granted' }>, asked: Moment): Other {
    const heard = this.pool.clock.now();
    if (answer.kind !== 'held') return { remaining: Infinity, heard, isRenewed: false };
    const { owner, remaining } = answer;
    const before = this.#others[nodeIndex];
    if (before?.owner !== owner) return { owner, remaining, heard, isRenewed: false };
    // However long this answer took, or that one: it ends later than it could have ended.
    return { ...before, isRenewed: elapsed(before.heard, asked) + remaining > before.remaining };
  }
}
