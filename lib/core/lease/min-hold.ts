import type { QuorumCall } from '../quorum/quorum-call.js';
import type { Claim } from '../port/claim.js';
import type { Moment } from '../time/clock.js';
import type { ResolvedLockOptions } from '../api/options.js';
import type { ExtendAnswer, ReleaseAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';

/** A lease that is given back. */
export interface Ended {
  /** Ms that the lease lasts on the nodes at most, counted from now. */
  readonly ttl: number;
  readonly now: Moment;
  /** When the lock was taken. */
  readonly since: Moment;
}

/** Gives claims back: at once, or as soon as their `minHold` is over. */
export class DelayedReleases {
  readonly #timers = new Set<() => void>();

  constructor(private readonly pool: NodePool) {}

  giveBack(
    claim: Claim,
    { minHold = 0 }: Pick<ResolvedLockOptions, 'minHold'>,
    ended: Ended,
  ): QuorumCall<ReleaseAnswer> | QuorumCall<ExtendAnswer> {
    claim.over = true;
    // On the monotonic clock, so that setting the wall clock makes `minHold` neither longer nor shorter.
    const remaining = minHold === 0 ? 0 : Math.ceil(minHold - (ended.now.monotonic - ended.since.monotonic));
    return remaining > 0 ? this.#keep(claim, ended.ttl, remaining) : this.pool.release(claim, ended.ttl, ended.now);
  }

  /** Cancels all delayed releases; the keys of these claims expire on the nodes. */
  close(): void {
    for (const stopTimer of this.#timers) stopTimer();
    this.#timers.clear();
  }

  /**
   * Keeps the claim on the nodes for `remaining` ms more, even if this process ends. Then it releases the claim, because a key that only
   * expires is not handed to the next waiter.
   */
  #keep(claim: Claim, ttl: number, remaining: number): QuorumCall<ExtendAnswer> {
    if (claim.diverged) this.pool.nodes.forEach((_, nodeIndex) => this.pool.raise(claim, nodeIndex));
    const stopTimer = this.pool.clock.schedule(remaining + 1, () => {
      this.#timers.delete(stopTimer);
      // The caller that waited behind this lock asked the nodes long ago. So this release hands the resource to the next waiter.
      claim.followed = false;
      this.pool.release(claim, ttl);
    });
    this.#timers.add(stopTimer);
    return this.pool.extend(claim, remaining, () => undefined);
  }
}
