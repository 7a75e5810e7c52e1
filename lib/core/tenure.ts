import { PASSING_WINDOW } from './hand-off.js';

/**
 * The time for which a process has a lock, from caller to caller. Those who come in it count as having come at its end, as far as that
 * is near: the caller that held the lock asks again once its release is answered at the earliest, and the others asked one by one while it passed
 * between them. Each by its own date, they would be served in parts, with those who came elsewhere meanwhile in between, and for good:
 * processes that take turns would have the lock for one caller at a time.
 */
export class Tenure {
  /** Ms on the monotonic clock when the process gave the lock back while others waited here. */
  #end: number | undefined;

  end(now: number): void {
    this.#end = now;
  }

  /** Whether who comes then still comes in it: a moment after its end at the latest. */
  includes(came: number): boolean {
    return this.#end === undefined || came - this.#end <= PASSING_WINDOW;
  }

  /** Ms on the monotonic clock when somebody who came in it counts as having come. */
  dateOf(came: number): number {
    if (this.#end === undefined) return came;
    return Math.max(came - PASSING_WINDOW, Math.min(came + PASSING_WINDOW, this.#end));
  }
}
