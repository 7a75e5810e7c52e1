import { elapsed, type Moment } from '../time/clock.js';
import type { LockLossReason } from '../api/errors.js';
import type { Random } from '../collections/random.js';
import { TimedTask } from '../time/timer-queue.js';
import type { PreparedOptions } from '../api/options.js';
import type { WaitTerms } from '../quorum/outcome/wait-budget.js';
import type { LeaseTerms } from '../time/validity.js';
import type { LeaseContext } from './lease-context.js';

/** The options that say how long a lock is held. */
export type HoldTerms = LeaseTerms & Pick<PreparedOptions, 'autoExtend' | 'maxHold' | 'minHold'>;

/**
 * Returns the terms without the signal that could end the wait, because a lock that is held for long must not keep the signal alive. Terms
 * without a signal are returned as they are, so that many locks share one object.
 */
export function holdTermsOf(terms: HoldTerms & Pick<WaitTerms, 'signal'>): HoldTerms {
  if (terms.signal === undefined) return terms;
  const { ttl, driftFactor, autoExtend, maxHold, minHold } = terms;
  return { ttl, driftFactor, autoExtend, maxHold, minHold };
}

/** Ms: the shortest time between two extensions, however short the lease is. */
const CLOSEST = 5;

/** Returns the ms until a lease of `ttl` ms is extended automatically: a third of the ttl, up to 10 % of that sooner or later. */
export function renewalIn(ttl: number, random: Random): number {
  return Math.max(CLOSEST, (ttl / 3) * (0.9 + random.fraction() * 0.2));
}

/** Returns the ms until a failed extension is tried again, so that several attempts fit into the `remaining` ms. */
export function renewalRetryIn(ttl: number, remaining: number): number {
  return Math.max(CLOSEST, Math.min(ttl / 10, remaining / 3));
}

/** The timer of a lease: it extends the lease in time, or notices that the lease is over. */
export abstract class RenewalTimer extends TimedTask {
  /** Ms that the lease lasts by the latest extension, or by one that is not confirmed yet. */
  protected ttl: number;
  /** Ms that the lease lasts on the nodes at most: a shorter extension does not make it end sooner there. */
  protected longestTtl: number;
  protected readonly terms: HoldTerms;
  /** Whether the nodes were asked for an extension that a quorum has not confirmed. */
  protected isUnconfirmed = false;
  #renews = false;

  constructor(
    protected readonly context: LeaseContext,
    terms: HoldTerms & Pick<WaitTerms, 'signal'>,
    /** When the holder got the lock. */
    readonly taken: Moment,
  ) {
    super();
    this.terms = holdTermsOf(terms);
    this.ttl = terms.ttl;
    this.longestTtl = terms.ttl;
  }

  /** False once the lease was released, or its loss was noticed. */
  protected abstract readonly isHeld: boolean;
  protected abstract remainingAt(now: Moment): number;
  /** Extends the lease; rejects if that fails. */
  protected abstract renew(): Promise<void>;
  /** Called when the lease is over, with the reason for programs and in words. */
  protected abstract expire(reason: LockLossReason, why: string): Error;

  /**
   * Extends or ends the lease. Less than 1 ms left counts as over, because a timer may be that early. If more is left, the lease was extended
   * meanwhile, and the timer is set again.
   */
  due(): void {
    const now = this.context.pool.clock.now();
    if (this.#renews) this.#renew(now);
    else if (this.remainingAt(now) >= 1) this.#set(Infinity, now);
    else this.expireAt(now);
  }

  /** Sets the timer of a lease that counts from `since`; it is to be extended when a third of `ttl` has passed. */
  protected watch(ttl: number, since: Moment, now: Moment): void {
    if (!this.terms.autoExtend) return this.#set(Infinity, now);
    // A part of the lease is used up if the lock was passed on, or if its holder could not begin at once.
    this.#set(Math.max(0, renewalIn(ttl, this.context.pool.random) - elapsed(since, now)), now);
  }

  protected expireAt(now: Moment): void {
    const { autoExtend, maxHold } = this.terms;
    const heldTooLong = autoExtend && elapsed(this.taken, now) >= maxHold;
    if (heldTooLong) this.expire('max_hold', `extended for maxHold, ${maxHold} ms, and no longer`);
    // An extension that was due was asked for, unless the process stood still.
    else this.expire(this.isUnconfirmed ? 'nodes' : autoExtend ? 'pause' : 'ttl', 'its lease ran out');
  }

  /** Notes that nodes may apply this ttl from now on. */
  protected mayLast(ttl: number): void {
    this.ttl = Math.max(this.ttl, ttl);
    this.longestTtl = Math.max(this.longestTtl, ttl);
  }

  protected stopTimer(): void {
    this.context.pool.timerQueue.remove(this);
  }

  /**
   * Sets the timer: to extend the lease in `delay` ms or, if the lease ends or has been held for `maxHold` before that, to let it expire at its
   * end.
   */
  #set(delay: number, now: Moment): void {
    const remaining = this.remainingAt(now);
    this.#renews = delay < remaining && elapsed(this.taken, now) + delay < this.terms.maxHold;
    this.context.pool.timerQueue.add(this.#renews ? delay : remaining, this, now);
  }

  #renew(now: Moment): void {
    this.#set(Infinity, now);
    this.renew().catch(() => {
      const failed = this.context.pool.clock.now();
      // A loss has been signalled already. After any other failure, the extension is tried again while validity is left.
      if (this.isHeld) this.#set(renewalRetryIn(this.ttl, this.remainingAt(failed)), failed);
    });
  }
}
