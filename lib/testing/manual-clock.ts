import { systemClock, type Clock, type Moment } from '../core/clock.js';
import { turn } from './turn.js';

interface Timer {
  /** Ms on this clock. */
  readonly at: number;
  readonly task: () => void;
  /** Takes back what the timer became when time began to go on by itself. */
  stop?: () => void;
}

/** A clock that stands still until it is moved; whatever was awaited runs before time goes on. */
export class ManualClock implements Clock {
  readonly #began = Date.now();
  readonly #timers = new Set<Timer>();
  #monotonic = 0;
  /** When time began to go on by itself. */
  #since: number | undefined;
  #advancing = Promise.resolve();

  now(): Moment {
    const running = this.#since === undefined ? 0 : performance.now() - this.#since;
    const monotonic = this.#monotonic + running;
    return { monotonic, wall: this.#began + monotonic };
  }

  schedule(delay: number, task: () => void): () => void {
    if (this.#since !== undefined) return systemClock.schedule(delay, task);
    const timer: Timer = { at: this.#monotonic + Math.max(0, delay), task };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      timer.stop?.();
    };
  }

  /** Timers of the same ms run in the order in which they were set: what arrives now comes before `task`. */
  afterInput(task: () => void): void {
    this.schedule(0, task);
  }

  /** Lets `ms` ms pass; a second call begins when the first one is done. */
  advance(ms: number): Promise<void> {
    this.#advancing = this.#advancing.then(() => this.#advance(ms));
    return this.#advancing;
  }

  /** From now on time goes on by itself: whoever shuts down is not to wait for a clock that nobody moves any more. */
  runOn(): void {
    if (this.#since !== undefined) return;
    this.#since = performance.now();
    for (const timer of this.#timers) timer.stop = systemClock.schedule(timer.at - this.#monotonic, timer.task);
    this.#timers.clear();
  }

  async #advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await turn();
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#monotonic = Math.max(this.#monotonic, timer.at);
      timer.task();
      await turn();
    }
    if (this.#since === undefined) this.#monotonic = end;
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (!next || timer.at < next.at)) next = timer;
    return next;
  }
}
