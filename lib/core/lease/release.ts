import type { QuorumCall } from '../quorum/quorum-call.js';
import type { Moment } from '../time/clock.js';
import type { ExtendAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { Won } from '../quorum/outcome/outcome.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import type { HoldTerms } from './renewal.js';
import type { HeldLease, LeaseContext, Releases, Successor } from './lease-context.js';

/** A lease that its holder has released, or has lost. */
interface Ended {
  readonly won: Required<Won>;
  readonly terms: HoldTerms;
  /** Ms that the lease lasts by its latest extension. */
  readonly ttl: number;
  /** Ms that the lease lasts on the nodes at most, counted from now. */
  readonly longestTtl: number;
  readonly now: Moment;
  /** When the lock was taken. */
  readonly taken: Moment;
}

/** What becomes of the claim of such a lease. */
export type Ending =
  /** It passes to the next caller of this process, which gets it without a round trip to the nodes. */
  | { readonly kind: 'pass' }
  /** The nodes keep it for `remaining` ms more, until its `minHold` is over. */
  | { readonly kind: 'keep'; readonly remaining: number }
  | { readonly kind: 'give back' };

const PASS: Ending = { kind: 'pass' };
const GIVE_BACK: Ending = { kind: 'give back' };

/** Decides what becomes of the claim. A lock that was extended to another ttl, or that has a `minHold`, does not pass on. */
export function endingOf({ terms, ttl, longestTtl, now, taken }: Omit<Ended, 'won'>, successor: Successor): Ending {
  const { minHold = 0 } = terms;
  const lastsAsAsked = ttl === terms.ttl && longestTtl === terms.ttl;
  if (minHold === 0) return successor === 'may have it' && lastsAsAsked ? PASS : GIVE_BACK;
  // On the monotonic clock, so that setting the wall clock makes `minHold` neither longer nor shorter.
  const remaining = Math.ceil(minHold - (now.monotonic - taken.monotonic));
  return remaining > 0 ? { kind: 'keep', remaining } : GIVE_BACK;
}

/** Passes the claim to the next caller of this process, or gives it back; returns what the nodes are asked in the latter case. */
export function releaseOrPass(
  { pool, callers, releases }: Pick<LeaseContext, 'pool' | 'callers' | 'releases'>,
  lease: HeldLease,
  ended: Ended,
): { readonly decision: Promise<unknown> } | undefined {
  const { won, longestTtl, now } = ended;
  const successor = callers.successorOf(lease, won, now);
  const ending = endingOf(ended, successor);
  if (ending.kind === 'pass') {
    callers.passOn(lease, won);
    return undefined;
  }
  if (ending.kind === 'keep') return releases.keep(won.claim, longestTtl, ending.remaining);
  return successor === 'nobody' ? pool.release(won.claim, longestTtl, now) : pool.makeRoom(won.claim, longestTtl, now);
}

/** Gives claims back to the nodes as soon as their `minHold` is over. */
export class DelayedReleases implements Releases {
  readonly #timers = new Set<() => void>();
  #isClosed = false;

  constructor(private readonly pool: NodePool) {}

  /**
   * Keeps the claim on the nodes for `remaining` ms more, even if this process ends. Then it releases the claim, because a key that only
   * expires is not handed to the next waiter.
   */
  keep(claim: OwnClaim, ttl: number, remaining: number): QuorumCall<ExtendAnswer> {
    if (!this.#isClosed) this.#releaseIn(claim, ttl, remaining);
    return this.pool.keep(claim, remaining);
  }

  /**
   * Cancels all delayed releases, and delays no more of them, since nodes that are closed are sent nothing: the keys of these claims expire on
   * the nodes. A lock that was lost before may be released after this.
   */
  close(): void {
    this.#isClosed = true;
    for (const stopTimer of this.#timers) stopTimer();
    this.#timers.clear();
  }

  #releaseIn(claim: OwnClaim, ttl: number, remaining: number): void {
    const stopTimer = this.pool.clock.schedule(remaining + 1, () => {
      this.#timers.delete(stopTimer);
      // The caller that waited behind this lock asked the nodes long ago. So this release hands the resource to the next waiter.
      this.pool.release(claim, ttl);
    });
    this.#timers.add(stopTimer);
  }
}
