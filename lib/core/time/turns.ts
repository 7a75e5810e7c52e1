import type { Clock } from './clock.js';
import { Queue } from '../collections/queue.js';

/**
 * Lets callers go on one at a time, each once all is over that was to be done at once: by the one before it, and by those who are told of
 * a release, a failure or an event at the same time. A caller that computes for long then holds up those behind it before their leases are
 * looked at, and not between that look and the beginning of their work.
 */
export class Turns {
  readonly #waiting = new Queue<() => void>();
  readonly #passOn = (): void => {
    const next = this.#waiting.shift();
    if (this.#waiting.length > 0) this.clock.afterMicrotasks(this.#passOn);
    next?.();
  };

  constructor(private readonly clock: Pick<Clock, 'afterMicrotasks'>) {}

  /** The turn of one more caller. */
  next(): Promise<void> {
    if (this.#waiting.length === 0) this.clock.afterMicrotasks(this.#passOn);
    return new Promise((resolve) => this.#waiting.add(resolve));
  }
}
