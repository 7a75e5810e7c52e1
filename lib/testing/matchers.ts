import type { RedlockTestingPool } from './redlock-testing.pool.js';

/** The matchers that `redlockMatchers` adds to `expect(module.get(RedlockTesting))`. */
export interface RedlockMatchers<R = unknown> {
  /** Expects that the resource, or one of its slots, is locked now. */
  toHaveLocked(resource: string): R;
  /** Expects that nothing is locked now. */
  toHaveNoLocks(): R;
  /** Expects that the application got a lock on the resource: at least once, or exactly `times` times. */
  toHaveAcquired(resource: string, times?: number): R;
  /** Expects that calls for the key got the reply of another call: at least once, or exactly `times` times. */
  toHaveReplayed(key: string, times?: number): R;
  /** Expects that exactly `count` callers of the application wait for the resource now. */
  toHaveWaiting(resource: string, count: number): R;
}

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

type Matchers = {
  [Name in keyof RedlockMatchers]: (
    testing: RedlockTestingPool,
    ...args: Parameters<RedlockMatchers[Name]>
  ) => MatcherResult;
};

/** The matchers for `expect.extend(redlockMatchers)` of Jest and of Vitest. */
export const redlockMatchers: Matchers = {
  toHaveLocked(testing, resource) {
    const isLocked = checked(testing).isLocked(resource);
    return outcome(isLocked, `"${resource}" to be locked`, listed(testing.locked()));
  },
  toHaveNoLocks(testing) {
    const locked = checked(testing).locked();
    return outcome(locked.length === 0, 'nothing to be locked', listed(locked));
  },
  toHaveAcquired(testing, resource, times) {
    return counted(checked(testing).count('acquired', resource), times, `"${resource}" to have been acquired`);
  },
  toHaveReplayed(testing, key, times) {
    return counted(checked(testing).count('replayed', key), times, `the reply for "${key}" to have been replayed`);
  },
  toHaveWaiting(testing, resource, count) {
    const waiting = checked(testing).waiting(resource);
    return outcome(waiting === count, `${count} callers to wait for "${resource}"`, `${waiting} do`);
  },
};

function counted(count: number, times: number | undefined, wanted: string): MatcherResult {
  const pass = times === undefined ? count > 0 : count === times;
  return outcome(
    pass,
    `${wanted} ${times === undefined ? 'at least once' : `${times} times`}`,
    `it was ${count} times`,
  );
}

function outcome(pass: boolean, wanted: string, found: string): MatcherResult {
  return { pass, message: () => `expected ${pass ? 'not ' : ''}${wanted}; ${found}` };
}

function listed(locked: readonly string[]): string {
  return locked.length > 0 ? `locked is "${locked.join('", "')}"` : 'nothing is locked';
}

/** Recognises the argument by what it can do and not by its class, which also works with two copies of this package. */
function checked(testing: Partial<RedlockTestingPool> | undefined | null): RedlockTestingPool {
  if (typeof testing?.isLocked === 'function') return testing as RedlockTestingPool;
  throw new TypeError('This matcher is for module.get(RedlockTesting), and for a pool of it');
}
