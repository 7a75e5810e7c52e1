import type { Clock, Moment } from '../../lib/engine/clock.js';

/** A clock that follows the fake timers of a test, as the clock of the library never does. */
export class TimersOfTest implements Clock {
  now(): Moment {
    return { monotonic: performance.now(), wall: Date.now() };
  }

  schedule(delay: number, task: () => void): () => void {
    const timer = setTimeout(task, delay);
    return () => clearTimeout(timer);
  }

  afterInput(task: () => void): void {
    setImmediate(task);
  }

  nextTurn(task: () => void): void {
    setImmediate(task);
  }
}
