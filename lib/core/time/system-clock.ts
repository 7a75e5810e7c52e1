import { LONGEST_TIMER, type Clock, type Moment } from './clock.js';
import { clearTimeout, setImmediate, setTimeout } from './real-time.js';
import { inRootContext } from './root-context.js';
import { machineClocks, SuspensionWatch, type RawClocks } from './suspension-watch.js';

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
    const timer = inRootContext(() => setTimeout(task, Math.min(delay, LONGEST_TIMER)));
    return () => clearTimeout(timer);
  }

  afterInput(task: () => void): void {
    setImmediate(task);
  }

  nextTurn(task: () => void): void {
    setImmediate(task);
  }

  whenResumed(notify: () => void): void {
    this.#watch.whenResumed(notify);
  }
}
