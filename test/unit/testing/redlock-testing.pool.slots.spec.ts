import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { redlockMatchers, type RedlockMatchers } from '../../../lib/testing/matchers.js';
import { codeOf, TestedPool } from '../../support/tested-pool.js';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> extends RedlockMatchers<R> {}
}

expect.extend(redlockMatchers);

const THREE = { limit: 3 };

describe('a pool under test, with a limit', () => {
  let pool: TestedPool;

  beforeEach(async () => {
    pool = await TestedPool.start();
  });
  afterEach(() => pool.close());

  describe('where another replica holds slots', () => {
    it('has the others', async () => {
      const held = pool.testing.hold('export', { limit: 3, slots: 2 });
      expect([held.resource, pool.testing.locked()]).toEqual(['export', ['export~0', 'export~1']]);
      const lock = await pool.service.acquire('export', THREE);
      expect(lock.slot).toBe(2);
      expect(await pool.service.tryAcquire('export', THREE)).toBeNull();
      held.release();
      expect(pool.testing.locked()).toEqual(['export~2']);
      await lock.release();
    });

    it('finds all slots held by default, until they are released or their ttl is over', async () => {
      const held = pool.testing.hold('export', THREE);
      expect(await pool.service.tryAcquire('export', THREE)).toBeNull();
      held.release();
      expect(pool.testing.locked()).toEqual([]);
      pool.testing.hold('export', { ...THREE, ttl: 1_000 });
      expect(await pool.service.tryAcquire('export', THREE)).toBeNull();
      await pool.testing.advance(1_001);
      expect(await codeOf(pool.service.withLock('export', () => undefined, { ...THREE, waitTimeout: 0 }))).toBe('done');
    });

    it('gives a released slot to its waiter, which counts once', async () => {
      const held = pool.testing.hold('export', THREE);
      const waiting = pool.service.acquire('export', THREE);
      await pool.testing.untilWaiting('export');
      await pool.testing.until('contended', 'export');
      expect([pool.testing.waiting('export'), pool.testing.waiting('export~0')]).toEqual([1, 0]);
      expect(pool.testing).toHaveWaiting('export', 1);
      held.release();
      const lock = await waiting;
      expect([pool.testing.waiting('export'), pool.testing.count('acquired', 'export')]).toEqual([0, 1]);
      await lock.release();
    });

    it('passes over slots that the application has', async () => {
      const lock = await pool.service.acquire('export', THREE);
      pool.testing.hold('export', { limit: 3, slots: 2 });
      expect([lock.isValid, pool.testing.locked()]).toEqual([true, ['export~0', 'export~1', 'export~2']]);
      await lock.extend();
      await lock.release();
    });

    it('leaves them to no caller that takes all, until reset', async () => {
      pool.testing.hold('export', { limit: 3, slots: 1 });
      const all = pool.service.acquire('export', { limit: 3, take: 'all' });
      await pool.testing.until('contended', 'export');
      expect(pool.testing.locked()).toContain('export~all');
      pool.testing.reset();
      await (await all).release();
    });

    it('says how many are free where there are too few', async () => {
      await pool.service.acquire('export', THREE);
      expect(() => pool.testing.hold('export', THREE)).toThrow(
        'Only 2 of the 3 slots of "export" are free, so nobody else can take 3',
      );
      expect(pool.testing.locked()).toHaveLength(1);
    });

    it.each([
      [{ limit: 0 }, 'hold: limit must be a whole number from 1 to 64; got 0'],
      [{ limit: '3' }, "hold: limit must be a whole number from 1 to 64; got '3'"],
      [{ limit: 3, slots: 4 }, 'hold: slots must be a whole number from 1 to limit, 3; got 4'],
      [{ limit: 3, slots: 0 }, 'hold: slots must be a whole number from 1 to limit, 3; got 0'],
      [{ slots: 2 }, 'hold: slots must be given together with limit; got 2'],
      [{ slot: 2 }, 'hold: there is no option "slot"; there are ttl, limit, slots'],
    ])('refuses %j', (options, words) => {
      expect(() => pool.testing.hold('export', options as never)).toThrow(words);
      expect(pool.testing.locked()).toEqual([]);
    });
  });

  describe('looked at', () => {
    it('is locked while anybody has a slot, which has a name of its own', async () => {
      const lock = await pool.service.acquire('export', THREE);
      const looks = ['export', `export~${lock.slot}`, 'exp', 'export~7'].map((name) => pool.testing.isLocked(name));
      expect(looks).toEqual([true, true, false, false]);
      expect(pool.testing).toHaveLocked('export');
      expect(pool.testing).toHaveLocked(`export~${lock.slot}`);
      await lock.release();
      expect(pool.testing).not.toHaveLocked('export');
      // Whoever only wants all slots has none.
      const held = pool.testing.hold('export~all');
      expect(pool.testing.isLocked('export')).toBe(false);
      held.release();
    });
  });

  describe('whose slots are taken away', () => {
    it('loses the one that is named, or else the latest', async () => {
      const [one, two, three] = [
        await pool.service.acquire('export', THREE),
        await pool.service.acquire('export', THREE),
        await pool.service.acquire('export', THREE),
      ];
      const valid = (): boolean[] => [one, two, three].map(({ isValid }) => isValid);
      await pool.testing.loseLock(`export~${one.slot}`);
      expect(valid()).toEqual([false, true, true]);
      await pool.testing.loseLock('export');
      expect(valid()).toEqual([false, true, false]);
      await pool.testing.loseLock('export');
      expect(valid()).toEqual([false, false, false]);
      await expect(pool.testing.loseLock('export')).rejects.toThrow('The application does not hold "export"');
    });

    it('loses all of them at once with a lock on all', async () => {
      const lock = await pool.service.acquire('export', { limit: 3, take: 'all' });
      await pool.testing.loseLock('export');
      expect([lock.isValid, pool.testing.locked()]).toEqual([false, []]);
    });
  });
});
