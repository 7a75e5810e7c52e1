import type { QuorumCall } from '../quorum/quorum-call.js';
import type { Claim } from '../port/claim.js';
import type { Moment } from '../time/clock.js';
import type { ResolvedLockOptions } from '../api/options.js';
import type { ExtendAnswer, ReleaseAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';

/** A lease that is given back. */
export interface Ended {
  /** Ms that it lasts on the nodes, at most, from now on. */
  readonly ttl: number;
  readonly now: Moment;
  /** When it was taken. */
  readonly since: Moment;
}

/** Gives claims back: at once, or, where their `minHold` is not over, when it is. */
export class DelayedReleases {
  readonly #timers = new Set<() => void>();

  constructor(private readonly pool: NodePool) {}

  giveBack(
    claim: Claim,
    { minHold = 0 }: Pick<ResolvedLockOptions, 'minHold'>,
    ended: Ended,
  ): QuorumCall<ReleaseAnswer> | QuorumCall<ExtendAnswer> {
    claim.over = true;
    // A clock that is set meanwhile makes it neither longer nor shorter.
    const left = minHold === 0 ? 0 : Math.ceil(minHold - (ended.now.monotonic - ended.since.monotonic));
    return left > 0 ? this.#keep(claim, ended.ttl, left) : this.pool.release(claim, ended.ttl, ended.now);
  }

  /** From now on nothing is given back any more: what is kept expires on the nodes. */
  close(): void {
    for (const stopTimer of this.#timers) stopTimer();
    this.#timers.clear();
  }

  /**
   * The nodes keep it for `left` ms more, also where this process ends. Then it is released, since a key that expires hands
   * nothing to those in line.
   */
  #keep(claim: Claim, ttl: number, left: number): QuorumCall<ExtendAnswer> {
    if (claim.diverged) this.pool.nodes.forEach((_, nodeIndex) => this.pool.raise(claim, nodeIndex));
    const stopTimer = this.pool.clock.schedule(left + 1, () => {
      this.#timers.delete(stopTimer);
      // The caller that followed has asked long ago.
      claim.followed = false;
      this.pool.release(claim, ttl);
    });
    this.#timers.add(stopTimer);
    return this.pool.extend(claim, left, () => undefined);
  }
}
