import { elapsed, type Moment } from './clock.js';
import { GRACE } from './hand-off.js';
import type { AcquireAnswer, Unknown } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import { isSplit, type Lost } from './outcome.js';
import { quorumOf } from './quorum.js';

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
 * For how long a waiter insists on its votes where they are split. Those of one that has died end by themselves, and where nobody can
 * have the resource until then, a caller that gave way would lose its place to younger ones for nothing. The living renew theirs whenever they
 * ask; where nodes see them in different orders, each would insist for ever.
 */
export class Insistence {
  /** Since when they are split. */
  #since: Moment | undefined;
  /** By seat, where they have been split for longer than the grace: until then those who have just got or extended one look alive. */
  #others: (Other | undefined)[] = [];

  constructor(private readonly pool: Pick<NodePool, 'clock' | 'random' | 'nodes'>) {}

  /** Takes note of what a node answered to what it was asked then. */
  heard(seat: number, answer: AcquireAnswer | Unknown, asked: Moment): void {
    this.#others[seat] = answer.kind === 'granted' ? undefined : this.#otherOf(seat, answer, asked);
  }

  /** Whether it ends after a round that came to this: at random, so that of rivals not all give way at once. */
  endsAfter(outcome: Lost): boolean {
    if (!isSplit(outcome)) {
      this.#since = undefined;
      return false;
    }
    const { clock, random } = this.pool;
    const now = clock.now();
    this.#since ??= now;
    if (elapsed(this.#since, now) <= GRACE) {
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

  #otherOf(seat: number, answer: Exclude<AcquireAnswer | Unknown, { kind: 'granted' }>, asked: Moment): Other {
    const heard = this.pool.clock.now();
    if (answer.kind !== 'held') return { remaining: Infinity, heard, isRenewed: false };
    const { owner, remaining } = answer;
    const before = this.#others[seat];
    if (before?.owner !== owner) return { owner, remaining, heard, isRenewed: false };
    // However long this answer took, or that one: it ends later than it could have ended.
    return { ...before, isRenewed: elapsed(before.heard, asked) + remaining > before.remaining };
  }
}
