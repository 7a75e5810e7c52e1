import { AsyncLocalStorage } from 'node:async_hooks';
import type { Lock } from '../../engine/lock.js';
import { ignore } from '../../engine/native-timers.js';
import { setImmediate } from '../../engine/native-timers.js';

type Work<T> = (lock: Lock | undefined) => Promise<T>;

/**
 * The lock under which a method has returned an Observable. The first subscription that comes at once goes on under the same lock, because what
 * the method has begun would otherwise run without one.
 */
export class KeptLock {
  /** Runs a function where a reentrant call finds the lock. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  #isFree = true;
  #use: Promise<unknown> | undefined;
  #wake: () => void = ignore;

  constructor(
    private readonly lock: Lock | undefined,
    /** Returns a promise that settles when the lock is released. */
    private readonly released: () => Promise<unknown>,
  ) {}

  /** Runs the work under the lock and settles after the release; returns undefined if the lock is not free any more. */
  take<T>(work: Work<T>): Promise<T> | undefined {
    if (!this.#isFree) return undefined;
    this.#isFree = false;
    const use = this.#inContext(() => work(this.lock));
    this.#use = use;
    this.#wake();
    return this.#afterRelease(use);
  }

  /** Resolves when the work is done; or, if nobody has come, after one turn of the event loop. */
  async used(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setImmediate(resolve);
    });
    this.#isFree = false;
    // The subscriber is told of its error.
    await this.#use?.catch(ignore);
  }

  async #afterRelease<T>(use: Promise<T>): Promise<T> {
    try {
      return await use;
    } finally {
      await this.released();
    }
  }
}
