import { elapsed, type Moment } from '../../time/clock.js';
import type { AcquireAnswer, Unknown } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { isSplit, type Denied } from '../../quorum/outcome/outcome.js';
import { quorumOf } from '../../quorum/quorum.js';

/** Ms for which a waiter keeps its votes in a split vote before it checks whether the owners of the other votes are alive. */
export const STALEMATE_GRACE = 500;

/** A vote that this waiter did not get. */
interface Other {
  /** Undefined if the node gives no votes at all. */
  readonly owner?: string;
  /** Ms until the vote ends, counted from `heard`. */
  readonly remaining: number;
  readonly heard: Moment;
  readonly isRenewed: boolean;
}

/**
 * Decides how long a waiter in line keeps its votes while several waiters have votes and none of them has a quorum. The votes of a dead waiter end by
 * themselves. If nobody can have the resource before that, a waiter that gives its votes back gains nothing and only loses its turn.
 * Waiters that are alive renew their votes with every question. If the nodes saw them arrive in different orders, none of them can ever win
 * until one of them gives its votes back.
 */
export class Stalemate {
  /** Since when the votes are split; undefined while they are not. */
  #since: Moment | undefined;
  /** The votes of others by node index, kept only after the grace, because an owner whose vote is new cannot be told from one that renews it. */
  #others: (Other | undefined)[] = [];

  constructor(private readonly pool: Pick<NodePool, 'clock' | 'random' | 'nodes'>) {}

  /** Records the answer of a node to the question that was put at `asked`. */
  heard(nodeIndex: number, answer: AcquireAnswer | Unknown, asked: Moment): void {
    this.#others[nodeIndex] = answer.kind === 'granted' ? undefined : this.#otherOf(nodeIndex, answer, asked);
  }

  /** Returns whether the waiter should give way after this outcome. The choice is random, so that rivals do not all give way at once. */
  endsAfter(outcome: Denied): boolean {
    if (!isSplit(outcome)) {
      this.#since = undefined;
      return false;
    }
    const { clock, random } = this.pool;
    const now = clock.now();
    this.#since ??= now;
    if (elapsed(this.#since, now) <= STALEMATE_GRACE) {
      this.#others = [];
      return false;
    }
    return this.#canBeWon() && random.fraction() < 0.5;
  }

  /** Returns whether the waiters that are alive, this one included, have enough votes for a quorum. */
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
    // At least the time from the earlier answer to this question has passed, so that a slow answer does not look like a renewal.
    return { ...before, isRenewed: elapsed(before.heard, asked) + remaining > before.remaining };
  }
}
