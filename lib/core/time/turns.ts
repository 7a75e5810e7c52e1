import type { Clock } from './clock.js';
import { LinkedList } from '../collections/linked-list.js';

/**
 * Lets callers go on one at a time. Each of them goes on once all microtasks are over: those of the caller before it, and those of listeners
 * that hear of a release, a failure or an event at the same time. A caller that computes for long then delays the callers behind it before
 * their leases are checked, and not between that check and the beginning of their work.
 */
export class Turns {
  readonly #waiting = new LinkedList<() => void>();
  readonly #passOn = (): void => {
    const next = this.#waiting.shift();
    if (this.#waiting.length > 0) this.clock.afterMicrotasks(this.#passOn);
    next?.();
  };

  constructor(private readonly clock: Pick<Clock, 'afterMicrotasks'>) {}

  /** Resolves when it is the turn of this caller. */
  next(): Promise<void> {
    if (this.#waiting.length === 0) this.clock.afterMicrotasks(this.#passOn);
    return new Promise((resolve) => this.#waiting.add(resolve));
  }
}
