import { LONGEST_TIMER, type Clock, type Moment } from './clock.js';
import { ignore } from './ignore.js';
import { clearTimeout, setImmediate, setInterval, setTimeout } from './real-time.js';
import { inRootContext } from './root-context.js';
import { machineClocks, SuspensionWatch, type RawClocks } from './suspension-watch.js';

/** Real time. */
export class SystemClock implements Clock {
  readonly #watch: SuspensionWatch;
  /** How many keep the process alive. */
  #reasons = 0;
  /** A timer that only keeps the process alive. */
  #alive: NodeJS.Timeout | undefined;

  constructor(raw: RawClocks = machineClocks) {
    this.#watch = new SuspensionWatch(raw);
  }

  now(): Moment {
    return this.#watch.now();
  }

  schedule(delay: number, task: () => void): () => void {
    const timer = inRootContext(() => setTimeout(task, Math.min(delay, LONGEST_TIMER)));
    timer.unref();
    return () => clearTimeout(timer);
  }

  afterInput(task: () => void): void {
    setImmediate(task);
  }

  nextTurn(task: () => void): void {
    setImmediate(task);
  }

  keepAlive(): () => void {
    this.#alive ??= inRootContext(() => setInterval(ignore, LONGEST_TIMER));
    this.#reasons += 1;
    this.#alive.ref();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#reasons -= 1;
      if (this.#reasons === 0) this.#alive?.unref();
    };
  }

  whenResumed(notify: () => void): void {
    this.#watch.whenResumed(notify);
  }
}
