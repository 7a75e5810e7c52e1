import type { Clock, Moment } from '../engine/clock.js';
import { SystemClock } from '../engine/system-clock.js';
import { monotonicNow, setImmediate, wallNow } from '../engine/native-timers.js';

interface Timer {
  /** When the timer is due, ms on this clock. */
  readonly at: number;
  readonly task: () => void;
  /** Cancels the real timer that takes the place of this one once the clock runs by itself. */
  stop?: () => void;
}

/** A clock that only `advance` moves. Code that waits for a settled promise runs before the time moves on. */
export class ManualClock implements Clock {
  readonly #began = wallNow();
  readonly #timers = new Set<Timer>();
  readonly #real = new SystemClock();
  #monotonic = 0;
  /** How many tasks wait for a turn of the event loop of their own. */
  #turns = 0;
  /** When the clock began to run by itself, ms on the monotonic clock; undefined before that. */
  #since: number | undefined;
  #advancing = Promise.resolve();

  now(): Moment {
    const running = this.#since === undefined ? 0 : monotonicNow() - this.#since;
    const monotonic = this.#monotonic + running;
    return { monotonic, wall: this.#began + monotonic };
  }

  schedule(delay: number, task: () => void): () => void {
    if (this.#since !== undefined) return this.#real.schedule(delay, task);
    const timer: Timer = { at: this.#monotonic + Math.max(0, delay), task };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      timer.stop?.();
    };
  }

  /** Calls `task` after all that is due now: timers of the same ms run in the order in which they were set. */
  afterInput(task: () => void): void {
    this.schedule(0, task);
  }

  nextTurn(task: () => void): void {
    this.#turns += 1;
    this.#real.nextTurn(() => {
      this.#turns -= 1;
      task();
    });
  }

  /** Lets `ms` ms pass; a second call begins when the first one is done. */
  advance(ms: number): Promise<void> {
    this.#advancing = this.#advancing.then(() => this.#advance(ms));
    return this.#advancing;
  }

  /** Lets the clock run by itself from now on, because an application that shuts down must not wait for a clock that nobody moves any more. */
  runOn(): void {
    if (this.#since !== undefined) return;
    this.#since = monotonicNow();
    for (const timer of this.#timers) timer.stop = this.#real.schedule(timer.at - this.#monotonic, timer.task);
    this.#timers.clear();
  }

  async #advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.#settled();
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#monotonic = Math.max(this.#monotonic, timer.at);
      timer.task();
      await this.#settled();
    }
    if (this.#since === undefined) this.#monotonic = end;
  }

  /** Resolves once all code that was waiting for a settled promise has run, including tasks that take a turn of their own. */
  async #settled(): Promise<void> {
    do await turn();
    while (this.#turns > 0);
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (!next || timer.at < next.at)) next = timer;
    return next;
  }
}

/** Resolves once all code that was waiting for a settled promise has run. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
}
