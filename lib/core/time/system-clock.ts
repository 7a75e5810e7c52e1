import { setImmediate as immediate } from 'node:timers';
import { LONGEST_TIMER, type Clock, type Moment } from './clock.js';
import { machineClocks, SuspensionWatch, type RawClocks } from './suspension-watch.js';

// Kept before a test may put others in their place, as the immediate is: a lock is not to wait for time that stands still.
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
    // Ticks that are set before do not wait for microtasks; one that a microtask sets comes behind all of them.
    // By a promise, since `queueMicrotask` makes a resource for async hooks first, and tests may replace it.
    void Promise.resolve().then(() => nextTick(task));
  }

  whenResumed(tell: () => void): void {
    this.#watch.whenResumed(tell);
  }
}
