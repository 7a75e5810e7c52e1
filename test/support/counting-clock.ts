import { systemClock, type Clock } from '../../lib/core/clock.js';

/** The clock of this machine, which knows how many timers are set. */
export class CountingClock implements Clock {
  readonly #timers = new Set<object>();

  get timers(): number {
    return this.#timers.size;
  }

  now = systemClock.now;
  afterInput = systemClock.afterInput;

  schedule(delay: number, task: () => void): () => void {
    const timer = {};
    this.#timers.add(timer);
    const stop = systemClock.schedule(delay, () => {
      this.#timers.delete(timer);
      task();
    });
    return () => {
      this.#timers.delete(timer);
      stop();
    };
  }
}
