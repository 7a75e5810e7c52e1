/** Ms before a node that has sent nonsense is tried again: the first pause, and the longest. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Ms after which nonsense is forgotten. */
const FORGOTTEN_AFTER = 120_000;

/** How long a node that sends nonsense is left alone: twice as long each time, until it has sent none for a while. */
export class Amends {
  #times = 0;
  #latest = -Infinity;

  /** Returns the ms to wait after nonsense at `now`, ms on the monotonic clock. Others must not come back at the same moment. */
  pauseAt(now: number): number {
    this.#times = now - this.#latest > FORGOTTEN_AFTER ? 0 : this.#times + 1;
    this.#latest = now;
    return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#times) * (0.75 + Math.random() / 2);
  }
}
