import { clearTimeout, monotonicNow, setImmediate, setInterval, setTimeout, wallNow } from '../core/time/real-time.js';
import { inRootContext } from '../core/time/root-context.js';
import { LONGEST_TIMER, type Clock, type Moment } from './clock.js';

/** The clocks and timers of this machine. A timer alone keeps no process alive. */
export class SystemClock implements Clock {
  /** How many keep the process alive. */
  #reasons = 0;
  /** A timer that only keeps the process alive. */
  #alive: NodeJS.Timeout | undefined;

  now(): Moment {
    return { monotonic: monotonicNow(), wall: wallNow() };
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
    this.#alive ??= inRootContext(() => setInterval(() => undefined, LONGEST_TIMER));
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
}
