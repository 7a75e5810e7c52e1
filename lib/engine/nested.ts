import { AsyncLocalStorage } from 'node:async_hooks';
import type { LockLostError } from './errors.js';
import { shown } from './names.js';
import type { LockOptions } from './options.js';
import type { HeldLock } from './held-lock.js';
import { mistake } from './codes.js';

/** The use of a held lock by one piece of work. */
export interface Use {
  readonly lock: HeldLock;
  /** Runs `work` so that everything that it calls, now or later, finds the held lock. */
  run<T>(work: () => T): T;
  /** Ends this use and resolves with the error if the lock was lost meanwhile; the end of the last use releases the lock. */
  leave(): Promise<LockLostError | undefined>;
}

/** How much of a resource a call takes. */
export type Shares = Pick<LockOptions, 'limit' | 'take'>;

const NONE: readonly string[] = [];

/** The lock under which an async context runs. Nested calls for the same resources may share it. */
class Holding {
  #users = 0;

  constructor(
    /** Undefined after the last use. Otherwise a context that starts its own successor would keep all earlier locks alive. */
    public lock: HeldLock | undefined,
    readonly outer: Holding | undefined,
  ) {}

  use(lock: HeldLock, run: Use['run']): Use {
    this.#users += 1;
    return { lock, run, leave: () => this.#leave(lock) };
  }

  async #leave(lock: HeldLock): Promise<LockLostError | undefined> {
    const { lost } = lock;
    this.#users -= 1;
    if (this.#users > 0) return lost;
    this.lock = undefined;
    await lock.release();
    return lost;
  }
}

/**
 * Knows which locks the current async context holds. A queue that was started under a lock also runs the jobs of other callers in the context of
 * that lock. So only a call that asks for re-entry shares a lock.
 */
export class NestedLocks {
  readonly #contexts = new AsyncLocalStorage<Holding>();

  hold(lock: HeldLock): Use {
    const holding = new Holding(
      lock,
      this.#find(() => true),
    );
    return holding.use(lock, (work) => this.#contexts.run(holding, () => lock.within(work)));
  }

  /** Disables the async contexts; otherwise they would go on costing time for every promise of the process. */
  close(): void {
    this.#contexts.disable();
  }

  /** True if the current context runs under a valid lock. */
  get any(): boolean {
    return this.#find(() => true) !== undefined;
  }

  /** Returns those of `resources` that the current context holds. */
  among(resources: readonly string[]): readonly string[] {
    if (this.#contexts.getStore() === undefined) return NONE;
    return resources.filter((name) => this.#find((lock) => lock.resources.includes(name)) !== undefined);
  }

  /** Returns those of `resources` for which such a call would wait until the current context releases them. */
  blocking(resources: readonly string[], { limit, take }: Shares): readonly string[] {
    if (this.#contexts.getStore() === undefined) return NONE;
    const blocks = (lock: HeldLock): boolean =>
      lock.shares.limit === limit &&
      (limit === undefined || limit === 1 || take === 'all' || lock.shares.take === 'all');
    return resources.filter(
      (name) => this.#find((lock) => lock.resources.includes(name) && blocks(lock)) !== undefined,
    );
  }

  /** Returns the resources other than these that the current context holds, outermost first; undefined if there are none. */
  besides(resources: readonly string[]): readonly string[] | undefined {
    const held: string[] = [];
    for (let holding = this.#contexts.getStore(); holding !== undefined; holding = holding.outer) {
      if (holding.lock?.isValid) held.unshift(...holding.lock.resources.filter((name) => !resources.includes(name)));
    }
    return held.length > 0 ? Object.freeze([...new Set(held)]) : undefined;
  }

  /**
   * Returns a use of the held lock that covers all of `resources`; undefined if the context holds none of them with this
   * `limit`.
   * @throws TypeError if the context holds only a part: such a call would wait for itself
   */
  reenter(resources: readonly string[], { limit, take }: Shares): Use | undefined {
    const isSame = (lock: HeldLock): boolean => lock.shares.limit === limit;
    const covers = (lock: HeldLock): boolean =>
      resources.every((name) => lock.resources.includes(name)) && (take !== 'all' || lock.shares.take === 'all');
    const covering = this.#find((lock) => isSame(lock) && covers(lock));
    if (covering?.lock !== undefined) return covering.use(covering.lock, (work) => work());
    const partial = this.#find((lock) => isSame(lock) && resources.some((name) => lock.resources.includes(name)));
    if (partial?.lock === undefined) return undefined;
    const what =
      limit === undefined
        ? 'Take all of them in one outer lock, or only the missing ones in the inner one.'
        : "The outer lock has one slot, and the inner one wants all: take: 'all' in the outer lock.";
    throw mistake(
      'REDLOCK_E09',
      `A nested lock on ${shown(resources)} would wait for itself: the code around it already holds ` +
        `${shown(partial.lock.resources)}. ${what}`,
    );
  }

  /** Returns the innermost holding whose lock fits; a lock that was released or lost does not count. */
  #find(fits: (lock: HeldLock) => boolean): Holding | undefined {
    let holding = this.#contexts.getStore();
    while (holding !== undefined && !(holding.lock?.isValid && fits(holding.lock))) holding = holding.outer;
    return holding;
  }
}

/**
 * Checks the options of a call that always takes a lock of its own.
 * @throws TypeError for `reentrant: true`
 */
export function refuseReentry(options: LockOptions | undefined): void {
  if (options?.reentrant !== true) return;
  throw mistake(
    'REDLOCK_E04',
    'lock options: reentrant: true is for withLock and @WithLock, whose work can run inside a held lock; acquire and tryAcquire ' +
      'always take a lock of their own, so leave it out',
  );
}
