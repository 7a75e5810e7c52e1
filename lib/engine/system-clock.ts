import { clearTimeout, monotonicNow, setImmediate, setInterval, setTimeout, wallNow } from './native-timers.js';
import { inRootContext } from './native-timers.js';
import { LONGEST_TIMER, type Clock, type Moment } from './clock.js';

/** The clocks and timers of this machine. A timer alone keeps no process alive. */
export class SystemClock implements Clock {
  /** How many keep the process alive. */
  #reasons = 0;
  /** A timer that only keeps the process alive. */
  #alive: NodeJS.Timeout | undefined;

  /** @param wall Returns ms on the wall clock. */
  constructor(private readonly wall = wallNow) {}

  now(): Moment {
    return { monotonic: monotonicNow(), wall: this.wall() };
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

/**
 * Returns a clock for a pool whose only node is in this process. Its wall clock goes on with the monotonic clock: nobody else has to agree on it, and
 * a change of the wall clock of the machine must not end leases.
 */
export function steadyClock(wall = wallNow): Clock {
  const ahead = wall() - monotonicNow();
  return new SystemClock(() => monotonicNow() + ahead);
}
