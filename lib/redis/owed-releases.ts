import type { Claim } from '../core/port/claim.js';
import type { Clock } from '../core/time/clock.js';
import { LINE_KEPT } from './scripts/line-script.js';

const TIDY_FROM = 1_000;
/** Ms until a release is tried again that a node has answered with an error; then twice as long, up to the longest pause. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;

/** To whom releases are owed. */
export interface Creditor {
  /** Why it cannot be told now; `pay` is called as soon as it can. */
  obstacle(): string | undefined;
  release(claim: Claim, left: number): void;
}

interface Owed {
  readonly until: number;
  /** It was sent again, and is not answered. */
  isOnItsWay: boolean;
}

/** Ms for which a release is owed of a claim whose lease lasts so long: its place in line may last longer. */
export function owedFor({ ticket }: Pick<Claim, 'ticket'>, ttl: number): number {
  return ticket ? Math.max(ttl, LINE_KEPT) : ttl;
}

/**
 * Releases that did not succeed so far, since the node was away or answered with an error: it may be busy, or write nothing for a
 * time. Each is owed until it succeeds, or until the lease would have ended by itself.
 */
export class OwedReleases {
  readonly #owed = new Map<Claim, Owed>();
  #tidyAt = TIDY_FROM;
  #pause = FIRST_PAUSE;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(
    private readonly creditor: Creditor,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
  ) {}

  get size(): number {
    return this.#owed.size;
  }

  /** Owes the release of `claim` for at most `ttl` ms; where that was owed already, for what is left of it. */
  add(claim: Claim, ttl: number): void {
    if (this.#isClosed) return;
    const owed = this.#owed.get(claim);
    const until = owed?.isOnItsWay ? owed.until : Math.max(this.#now() + ttl, owed?.until ?? 0);
    this.#owed.set(claim, { until, isOnItsWay: false });
    if (this.#owed.size >= this.#tidyAt) this.#tidy();
    this.#stopTimer ??= this.clock.schedule(this.#pause, () => this.#tryAgain());
  }

  /** The node has nothing of it any more. */
  settle(claim: Claim): void {
    this.#owed.delete(claim);
    if (this.#owed.size === 0) this.#pause = FIRST_PAUSE;
  }

  /** Sends all that is owed and not on its way. */
  pay(): void {
    const now = this.#now();
    for (const [claim, owed] of this.#owed) {
      const left = owed.until - now;
      if (owed.isOnItsWay) continue;
      owed.isOnItsWay = true;
      // The caller that followed has asked long ago: what is given back now serves the line.
      claim.followed = false;
      if (left > 0) this.creditor.release(claim, left);
      else this.settle(claim);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
    this.#owed.clear();
  }

  /** While the node is away there is nothing to try. */
  #tryAgain(): void {
    this.#stopTimer = undefined;
    const waits = this.#owed.size > 0 && this.creditor.obstacle() === undefined;
    this.#pause = waits ? Math.min(LONGEST_PAUSE, 2 * this.#pause) : FIRST_PAUSE;
    if (waits) this.pay();
  }

  /** Whenever their number has doubled: often enough to forget, too seldom to cost. */
  #tidy(): void {
    const now = this.#now();
    for (const [claim, { until }] of this.#owed) if (until <= now) this.#owed.delete(claim);
    this.#tidyAt = Math.max(TIDY_FROM, 2 * this.#owed.size);
  }

  #now(): number {
    return this.clock.now().monotonic;
  }
}
