import { AsyncResource } from 'node:async_hooks';
import { setImmediate as immediate } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Moment } from '../../lib/engine/clock.js';

interface Timer {
  at: number;
  readonly task: () => void;
}

/** Both clocks of a machine, moved by the test; whatever was awaited runs before time goes on. */
export class VirtualClock implements Clock {
  #monotonic = 0;
  #wallAhead = 1_700_000_000_000;
  readonly #timers = new Set<Timer>();
  /** How many wait for a turn of their own. */
  #turns = 0;

  now(): Moment {
    return { monotonic: this.#monotonic, wall: this.#monotonic + this.#wallAhead };
  }

  schedule(delay: number, task: () => void): () => void {
    // A timer of Node runs its task in the async context in which it was set.
    const timer = { at: this.#monotonic + Math.max(0, delay), task: AsyncResource.bind(task) };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers of the same ms run in the order in which they were set: what arrives now comes before `task`. */
  afterInput(task: () => void): void {
    this.schedule(0, task);
  }

  nextTurn(task: () => void): void {
    this.#turns += 1;
    immediate(() => {
      this.#turns -= 1;
      task();
    });
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Ms until the next timer; Infinity where none is set. */
  get nextIn(): number {
    return (this.#next()?.at ?? Infinity) - this.#monotonic;
  }

  /** The machine is suspended for so long: only its wall clock goes on. */
  suspend(ms: number): void {
    this.#wallAhead += ms;
  }

  /** Sets the wall clock forward, or back. */
  stepWall(ms: number): void {
    this.#wallAhead += ms;
  }

  /** Lets time pass in which no timer runs: the event loop is blocked. */
  block(ms: number): void {
    this.#monotonic += ms;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, resolve));
  }

  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.#settled();
    for (let timer = this.#next(); timer && timer.at <= end; timer = this.#next()) await this.#fire(timer);
    this.#monotonic = Math.max(this.#monotonic, end);
  }

  /** Lets time pass until `promise` is settled, and hands on what came of it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const settled = new AbortController();
    const settle = (): void => settled.abort();
    promise.then(settle, settle);
    await this.#settled();
    for (let timer = this.#next(); !settled.signal.aborted; timer = this.#next()) {
      if (!timer || timer.at === Infinity) throw new Error('no timer is set, and yet the promise is open');
      await this.#fire(timer);
    }
    return promise;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#monotonic = Math.max(this.#monotonic, timer.at);
    timer.task();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    do await setImmediate();
    while (this.#turns > 0);
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer;
    return next;
  }
}
