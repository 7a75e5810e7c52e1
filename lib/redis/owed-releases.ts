import type { Claim } from '../core/claim.js';

const TIDY_FROM = 1_000;

/** Releases that could not be delivered yet; each is owed until the lease would have ended by itself. */
export class OwedReleases {
  readonly #until = new Map<Claim, number>();
  #tidyAt = TIDY_FROM;

  get size(): number {
    return this.#until.size;
  }

  /** Owes the release of `claim` for at most `ttl` ms. */
  add(claim: Claim, ttl: number): void {
    this.#until.set(claim, performance.now() + ttl);
    if (this.#until.size >= this.#tidyAt) this.#tidy();
  }

  /** All that is still owed, with the ms that are left; from now on it is owed no more. */
  take(): [Claim, number][] {
    const now = performance.now();
    const owed = [...this.#until].map(([claim, until]): [Claim, number] => [claim, until - now]);
    this.#until.clear();
    return owed.filter(([, left]) => left > 0);
  }

  /** Whenever their number has doubled: often enough to forget, too seldom to cost. */
  #tidy(): void {
    const now = performance.now();
    for (const [claim, until] of this.#until) if (until <= now) this.#until.delete(claim);
    this.#tidyAt = Math.max(TIDY_FROM, 2 * this.#until.size);
  }
}
