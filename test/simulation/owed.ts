import type { Claim } from '../../lib/core/claim.js';
import type { Clock } from '../../lib/core/clock.js';

/** Ms that a place in a line lasts, which a release gives up too. */
const LINE_KEPT = 60_000;

/** Releases that could not be delivered, as lib/redis keeps them. */
export class Owed {
  readonly #until = new Map<Claim, number>();

  constructor(private readonly clock: Clock) {}

  add(claim: Claim, ttl: number): void {
    const length = claim.ticket ? Math.max(ttl, LINE_KEPT) : ttl;
    this.#until.set(claim, this.clock.now().monotonic + length);
  }

  /** All that is still owed, with the ms that are left; from now on it is owed no more. */
  take(): [Claim, number][] {
    const now = this.clock.now().monotonic;
    const owed = [...this.#until].map(([claim, until]): [Claim, number] => [claim, until - now]);
    this.#until.clear();
    return owed.filter(([, left]) => left > 0);
  }
}
