import { setImmediate as immediate } from 'node:timers';
import { LONGEST_TIMER, type Clock, type Moment } from './clock.js';
import { machineClocks, SuspensionWatch, type RawClocks } from './suspension-watch.js';

// Saved at the start, as `setImmediate` is, because a test may replace both later: a lock must not wait for a time that stands still.
const nextTick = process.nextTick.bind(process);

/** Real time. */
export class SystemClock implements Clock {
  readonly #watch: SuspensionWatch;

  constructor(raw: RawClocks = machineClocks) {
    this.#watch = new SuspensionWatch(raw);
  }

  now(): Moment {
    return this.#watch.now();
  }

  schedule(delay: number, task: () => void): () => void {
    const timer = setTimeout(task, Math.min(delay, LONGEST_TIMER));
    return () => clearTimeout(timer);
  }

  afterInput(task: () => void): void {
    setImmediate(task);
  }

  nextTurn(task: () => void): void {
    immediate(task);
  }

  afterMicrotasks(task: () => void): void {
    // A tick that is set here would not wait for the microtasks; a tick that a microtask sets runs after all of them.
    // A promise is used, because `queueMicrotask` first creates a resource for async hooks, and tests may replace it.
    void Promise.resolve().then(() => nextTick(task));
  }

  whenResumed(notify: () => void): void {
    this.#watch.whenResumed(notify);
  }
}
