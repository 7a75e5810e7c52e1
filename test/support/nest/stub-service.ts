import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { LockService } from '../../../lib/with-lock/run/run-locked.js';
import { Deferred } from './deferred.js';
import { StubLock } from './stub-lock.js';

/** A service without nodes, which gives, delays or refuses locks as the test says. */
export class StubService implements LockService {
  /** What was asked for. */
  readonly calls: { readonly resources: readonly string[]; readonly options: LockOptions }[] = [];
  /** What was given, in order. */
  readonly locks: StubLock[] = [];
  /** How many locks are held now. */
  held = 0;
  /** How many callers wait now. */
  waiting = 0;
  /** Set to refuse every lock. */
  refusal: Error | undefined;
  /** Set to make callers wait until it is resolved. */
  turn: Deferred | undefined;
  /** False to give the lock to a caller that has gone, as where one comes too late to be noticed. */
  notices = true;
  #changed = new Deferred();

  async withLock<T>(
    resources: readonly string[],
    work: (lock: Lock) => Promise<T>,
    options: LockOptions = {},
  ): Promise<T> {
    this.calls.push({ resources, options });
    await this.#wait(options.signal);
    if (this.refusal !== undefined) throw this.refusal;
    const lock = new StubLock(resources);
    this.locks.push(lock);
    this.#count('held', 1);
    try {
      return await work(lock);
    } finally {
      this.#count('held', -1);
    }
  }

  /** Resolves once `so` holds, looked at whenever something changes here. */
  async until(so: (service: this) => boolean): Promise<void> {
    while (!so(this)) await this.#changed.promise;
  }

  /** Resolves once so many locks are held. */
  untilHeld(count: number): Promise<void> {
    return this.until(({ held }) => held === count);
  }

  /** Resolves once so many callers wait. */
  untilWaiting(count: number): Promise<void> {
    return this.until(({ waiting }) => waiting === count);
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    if (!this.turn) return;
    this.#count('waiting', 1);
    const gone = new Deferred<never>();
    const leave = (): void => gone.reject(signal?.reason);
    if (this.notices) signal?.addEventListener('abort', leave);
    try {
      await Promise.race([this.turn.promise, gone.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#count('waiting', -1);
    }
  }

  #count(what: 'held' | 'waiting', by: number): void {
    this[what] += by;
    this.#changed.resolve();
    this.#changed = new Deferred();
  }
}
