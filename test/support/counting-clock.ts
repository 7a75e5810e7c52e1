import { SystemClock } from '../../lib/engine/system-clock.js';

/** The clock of this machine, which knows how many timers are set. */
export class CountingClock extends SystemClock {
  readonly #timers = new Set<object>();

  get timers(): number {
    return this.#timers.size;
  }

  override schedule(delay: number, task: () => void): () => void {
    const timer = {};
    this.#timers.add(timer);
    const stop = super.schedule(delay, () => {
      this.#timers.delete(timer);
      task();
    });
    return () => {
      this.#timers.delete(timer);
      stop();
    };
  }
}
