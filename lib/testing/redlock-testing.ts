import { LONGEST_TIMER } from '../engine/clock.js';
import { invalidValue } from '../engine/options.js';
import { LockCall, lockCalls } from '../with-lock/run/lock-call.js';
import { RedlockTestingPool } from './redlock-testing.pool.js';
import type { TestingPools } from './pools/testing-pools.js';

/**
 * What a test works with: the pool without a name, the named pools, and the clock of all pools. Nest makes it.
 * @hideconstructor
 * @example
 * ```ts
 * const testing = module.get(RedlockTesting);
 * ```
 */
export class RedlockTesting extends RedlockTestingPool {
  readonly #named = new Map<string, RedlockTestingPool>();

  constructor(private readonly pools: TestingPools) {
    super(() => pools.get(undefined));
  }

  /** Returns the pool with this name. @throws Error if neither the application nor the test has the pool */
  pool(name: string): RedlockTestingPool {
    this.pools.get(name);
    const pool = this.#named.get(name) ?? new RedlockTestingPool(() => this.pools.get(name));
    this.#named.set(name, pool);
    return pool;
  }

  /**
   * Moves a 'manual' clock by `ms` ms. Everything that is due happens: leases and waits end, and leases are extended.
   * @throws Error with the real clock; TypeError, RangeError for a wrong number of ms
   */
  async advance(ms: number): Promise<void> {
    if (typeof ms !== 'number' || !(ms >= 0 && ms <= LONGEST_TIMER))
      throw invalidValue('advance', ms, `a number of ms from 0 to ${LONGEST_TIMER}`);
    await this.pools.advance(ms);
  }

  /**
   * Runs `work` as a part of `request`. Handlers that `work` calls read their lock keys from the `body` and `params` of `request`.
   * @example
   * ```ts
   * await testing.asRequest({ body }, () => users.register(body));
   * ```
   */
  asRequest<T>(request: object, work: () => T): T {
    // The request belongs to no handler in particular, so each locked method takes its own lock.
    return lockCalls.run(new LockCall({ request, run: {} }), work);
  }
}
