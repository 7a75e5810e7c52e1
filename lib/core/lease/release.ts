import type { QuorumCall } from '../quorum/quorum-call.js';
import type { Claim } from '../port/claim.js';
import type { Moment } from '../time/clock.js';
import type { ExtendAnswer, ReleaseAnswer } from '../port/lock-node.js';
import type { NodePool } from '../quorum/node-pool.js';
import type { Validity } from '../time/validity.js';
import type { Held, HoldTerms, LeaseContext, Releases, Successor } from './lease-context.js';

/** A lease that its holder has released, or has lost. */
interface Ended {
  readonly claim: Claim;
  readonly validity: Validity;
  readonly terms: HoldTerms;
  /** Ms that the lease lasts on the nodes at most, counted from now. */
  readonly ttl: number;
  readonly now: Moment;
  /** When the lock was taken. */
  readonly since: Moment;
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
export function endingOf({ terms, ttl, now, since }: Omit<Ended, 'claim' | 'validity'>, successor: Successor): Ending {
  const { minHold = 0 } = terms;
  if (minHold === 0) return successor === 'may have it' && ttl === terms.ttl ? PASS : GIVE_BACK;
  // On the monotonic clock, so that setting the wall clock makes `minHold` neither longer nor shorter.
  const remaining = Math.ceil(minHold - (now.monotonic - since.monotonic));
  return remaining > 0 ? { kind: 'keep', remaining } : GIVE_BACK;
}

/** Passes the claim to the next caller of this process, or gives it back; returns what the nodes are asked in the latter case. */
export function releaseOrPass(
  { lines, releases }: Pick<LeaseContext, 'lines' | 'releases'>,
  lease: Held,
  ended: Ended,
): ReturnType<Releases['giveBack']> | undefined {
  const { claim, validity, ttl, now } = ended;
  const won = { kind: 'won', claim, validity } as const;
  const successor = lines.successorOf(lease, won, now);
  const ending = endingOf(ended, successor);
  if (ending.kind === 'pass') {
    lines.passOn(lease, won);
    return undefined;
  }
  claim.followed = successor !== 'nobody';
  return ending.kind === 'keep' ? releases.keep(claim, ttl, ending.remaining) : releases.giveBack(claim, ttl, now);
}

/** Gives claims back to the nodes: at once, or as soon as their `minHold` is over. */
export class DelayedReleases implements Releases {
  readonly #timers = new Set<() => void>();

  constructor(private readonly pool: NodePool) {}

  giveBack(claim: Claim, ttl: number, now: Moment): QuorumCall<ReleaseAnswer> {
    claim.over = true;
    return this.pool.release(claim, ttl, now);
  }

  /**
   * Keeps the claim on the nodes for `remaining` ms more, even if this process ends. Then it releases the claim, because a key that only
   * expires is not handed to the next waiter.
   */
  keep(claim: Claim, ttl: number, remaining: number): QuorumCall<ExtendAnswer> {
    claim.over = true;
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

  /** Cancels all delayed releases; the keys of these claims expire on the nodes. */
  close(): void {
    for (const stopTimer of this.#timers) stopTimer();
    this.#timers.clear();
  }
}
