import { Tidying } from '../core/collections/tidying.js';
import type { Claim } from '../core/port/claim.js';
import type { Question } from '../core/port/lock-node.js';
import type { Clock } from '../core/time/clock.js';
import { LINE_KEPT } from './scripts/line-script.js';

/** Ms until a release that a node has answered with an error is tried again; every further pause is twice as long, up to the longest one. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;

/** The node to which releases are owed. */
export interface ReleasingNode {
  /** Returns why the node can be sent nothing now; `pay` is called as soon as it can. */
  obstacle(): string | undefined;
  /** Releases the claim, and serves the line: those who followed the first release in this process asked long ago. */
  release(claim: Claim, remaining: number): void;
}

interface OwedRelease {
  readonly until: number;
  /** True while the release was sent again and has no answer yet. */
  isOnItsWay: boolean;
}

/** Returns the ms for which a release is owed of a claim with this ttl: its place in line may last longer than its lease. */
export function owedFor({ place }: Pick<Claim, 'place'>, ttl: number): number {
  return place ? Math.max(ttl, LINE_KEPT) : ttl;
}

/**
 * Releases that have not succeeded yet, because the node was away or answered with an error: it may be busy, or accept no writes for a time.
 * Each release is owed until it succeeds, or until the lease would have ended by itself.
 */
export class OwedReleases {
  readonly #owed = new Map<Claim, OwedRelease>();
  /** The claims that provably never came to the node. */
  readonly #unreached = new WeakSet<Claim>();
  readonly #tidying = new Tidying();
  #pause = FIRST_PAUSE;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(
    private readonly node: ReleasingNode,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {}

  get size(): number {
    return this.#owed.size;
  }

  /** Records whether a question that takes a claim was sent: nothing is owed of a claim for which no such question ever was. */
  asked({ claim, isFirst = false }: Pick<Question<never>, 'claim' | 'isFirst'>, isSent: boolean): void {
    if (isFirst && !isSent) this.#unreached.add(claim);
    else if (isSent && !isFirst) this.#unreached.delete(claim);
  }

  /** Owes the release of `claim` for at most `ttl` ms; a release that was tried again in vain is owed for what is left of its time. */
  add(claim: Claim, ttl: number): void {
    if (this.#isClosed || this.#unreached.has(claim)) return;
    const owed = this.#owed.get(claim);
    const until = owed?.isOnItsWay ? owed.until : Math.max(this.#now() + ttl, owed?.until ?? 0);
    this.#owed.set(claim, { until, isOnItsWay: false });
    this.#tidying.check(this.#owed, () => this.#tidy());
    this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#tryAgain());
  }

  /** Ends the debt, because the node has nothing of the claim any more. */
  paid(claim: Claim): void {
    this.#owed.delete(claim);
    if (this.#owed.size === 0) this.#pause = FIRST_PAUSE;
  }

  /** Sends all owed releases that are not on their way. */
  pay(): void {
    const now = this.#now();
    for (const [claim, owed] of this.#owed) {
      const remaining = owed.until - now;
      if (owed.isOnItsWay) continue;
      owed.isOnItsWay = true;
      if (remaining > 0) this.node.release(claim, remaining);
      else this.paid(claim);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#owed.clear();
  }

  /** Tries the owed releases again, unless the node is away: then `pay` is called when it is back. */
  #tryAgain(): void {
    this.#stopTimer = undefined;
    const waits = this.#owed.size > 0 && this.node.obstacle() === undefined;
    this.#pause = waits ? Math.min(LONGEST_PAUSE, 2 * this.#pause) : FIRST_PAUSE;
    if (waits) this.pay();
  }

  /** Removes releases whose time is over. */
  #tidy(): void {
    const now = this.#now();
    for (const [claim, { until }] of this.#owed) if (until <= now) this.#owed.delete(claim);
  }

  #now(): number {
    return this.clock.now().monotonic;
  }
}
