import { AsyncLocalStorage } from 'node:async_hooks';
import type { LockLostError } from '../api/errors.js';
import type { LockListener } from '../api/events.js';
import type { Lease } from './lease.js';
import type { LockOptions } from '../api/options.js';

/** One piece of work's use of a held lock. */
export interface Use {
  readonly lock: Lease;
  /** Runs `work` so that whatever it calls, also later, finds the lock held. */
  run<T>(work: () => T): T;
  /** Ends this use and says whether the lock was lost under it; the last to leave releases. */
  leave(): Promise<LockLostError | undefined>;
}

const NONE: readonly string[] = [];

/** A lock that an async context works under; nested calls for the same resources may share it. */
class Holding {
  /** Let go at the end: a context that starts its own successor would keep all locks of the past alive. */
  lock: Lease | undefined;
  #users = 0;

  constructor(
    lock: Lease,
    readonly outer: Holding | undefined,
  ) {
    this.lock = lock;
  }

  use(lock: Lease, run: Use['run']): Use {
    this.#users += 1;
    return { lock, run, leave: () => this.#leave(lock) };
  }

  async #leave(lock: Lease): Promise<LockLostError | undefined> {
    const { lost } = lock;
    this.#users -= 1;
    if (this.#users > 0) return lost;
    this.lock = undefined;
    await lock.release();
    return lost;
  }
}

/**
 * Knows which locks the current async context holds. A context belongs to the code that started it, which need not be the code
 * whose work runs in it: a queue that was started under a lock runs the jobs of others there. So only a call that asks for
 * re-entry shares a lock.
 */
export class HeldLocks {
  readonly #contexts = new AsyncLocalStorage<Holding>();

  hold(lock: Lease): Use {
    const holding = new Holding(
      lock,
      this.#find(() => true),
    );
    return holding.use(lock, (work) => this.#contexts.run(holding, work));
  }

  /** Lets go of all contexts: else every promise of the process goes on paying for them. */
  close(): void {
    this.#contexts.disable();
  }

  /** True where the current context works under a valid lock. */
  get any(): boolean {
    return this.#find(() => true) !== undefined;
  }

  /** Tells at once where a call is going to wait for what the code around it holds: usually for itself. */
  tell(resources: readonly string[], emit: LockListener): void {
    const holding = this.among(resources);
    if (holding.length > 0) emit({ type: 'self-contended', resources, holding });
  }

  /** Those of `resources` that the current context holds. */
  among(resources: readonly string[]): readonly string[] {
    if (this.#contexts.getStore() === undefined) return NONE;
    return resources.filter((name) => this.#find((lock) => lock.resources.includes(name)) !== undefined);
  }

  /**
   * A use of the held lock that covers all of `resources`; undefined where the context holds none of them.
   * @throws TypeError where it holds only some of them: such a call would wait for itself
   */
  share(resources: readonly string[]): Use | undefined {
    const covering = this.#find((lock) => resources.every((name) => lock.resources.includes(name)));
    if (covering?.lock !== undefined) return covering.use(covering.lock, (work) => work());
    const partial = this.#find((lock) => resources.some((name) => lock.resources.includes(name)));
    if (partial?.lock === undefined) return undefined;
    throw new TypeError(
      `A nested lock on "${resources.join('", "')}" would wait for itself: the code around it already holds ` +
        `"${partial.lock.resources.join('", "')}". Take all of them in one outer lock, or only the missing ones in the inner one.`,
    );
  }

  /** The innermost fitting lock; one that was released or lost counts as none. */
  #find(fits: (lock: Lease) => boolean): Holding | undefined {
    let holding = this.#contexts.getStore();
    while (holding !== undefined && !(holding.lock?.isValid && fits(holding.lock))) holding = holding.outer;
    return holding;
  }
}

/**
 * For calls that always take a lock of their own.
 * @throws TypeError for `reentrant: true`
 */
export function refuseReentry(options: LockOptions | undefined): void {
  if (options?.reentrant !== true) return;
  throw new TypeError(
    'lock options: reentrant: true is for withLock and @WithLock, whose work can run inside a held lock; acquire and tryAcquire ' +
      'always take a lock of their own, so leave it out',
  );
}
