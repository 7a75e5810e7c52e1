import { performance } from 'node:perf_hooks';

/** Taken when this file loads, because a test may replace it. */
const monotonicNow = performance.now.bind(performance);

/** Ms for which an answer stands in for further ones. */
const RECENT = 1_000;

/** Shares one answer between all who ask while it is on its way, or within a second after the question. */
export class RecentAnswer<T> {
  #answer: Promise<T> | undefined;
  #askedAt = 0;
  #isPending = false;

  /** @param now returns the ms on a clock that never goes back */
  constructor(private readonly now: () => number = monotonicNow) {}

  /** Returns the recent answer, also if it was an error; asks only where there is none. */
  from(ask: () => Promise<T>): Promise<T> {
    const now = this.now();
    if (this.#answer === undefined || (!this.#isPending && now - this.#askedAt >= RECENT)) {
      this.#askedAt = now;
      this.#answer = this.#ask(ask);
    }
    return this.#answer;
  }

  async #ask(ask: () => Promise<T>): Promise<T> {
    this.#isPending = true;
    try {
      return await ask();
    } finally {
      this.#isPending = false;
    }
  }
}
