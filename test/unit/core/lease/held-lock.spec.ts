import { describe, expect, it } from '@jest/globals';
import { HeldLock } from '../../../../lib/core/lease/held-lock.js';
import { MemoryPool } from '../../../support/memory-pool.js';

/** What `Lock` has. */
const MEMBERS = [
  'resources',
  'value',
  'fencingToken',
  'validity',
  'isValid',
  'signal',
  'assertValid',
  'extend',
  'release',
];

describe('a lock, as its holder sees it', () => {
  it('has what Lock has, and nothing else', async () => {
    const pool = new MemoryPool();
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    const names = new Set<string | symbol>();
    for (let part: object = lock; part !== Object.prototype; part = Object.getPrototypeOf(part) as object) {
      for (const name of Reflect.ownKeys(part)) names.add(name);
    }
    expect(names).toEqual(new Set([...MEMBERS, Symbol.asyncDispose, 'constructor']));
  });

  it.each([{ resources: ['a'] }, 'lock', 7, null, undefined])(
    'leads to no lease if it is a test double: %j',
    (lock) => {
      expect(HeldLock.leaseOf(lock as unknown as HeldLock)).toBeUndefined();
    },
  );
});
