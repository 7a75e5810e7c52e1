import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../lib/engine/clock.js';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

const KEEP = { ttl: 1_000, minHold: 5_000 };

describe('minHold', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const take = (options: LockOptions = KEEP): Promise<Lock> => pool.clock.until(redlock.acquire('a', options));
  const isTaken = (): boolean => pool.owners('a').some((owner) => owner !== undefined);
  const at = (): number => pool.clock.now().monotonic;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  describe('whatever happens', () => {
    it('outlasts a holder that is never heard of again', async () => {
      const lock = await take();
      expect(lock.validity).toBeGreaterThan(4_900);
      await pool.clock.advance(4_999);
      expect(isTaken()).toBe(true);
    });

    it.each(['silent', 'down', 'broken', 'lost reply'] as const)(
      'lasts where every node is %s at the release, which neither fails nor takes long',
      async (fault) => {
        const lock = await take();
        pool.nodes.forEach((node) => node.fail(fault));
        const before = at();
        await expect(pool.clock.until(lock.release())).resolves.toBeUndefined();
        expect(at() - before).toBeLessThanOrEqual(50);
        await pool.clock.advance(4_900);
        expect(pool.owners('a')).toEqual(Array(3).fill(expect.stringContaining(lock.value)));
      },
    );

    it('does not wait for a silent minority', async () => {
      const lock = await take();
      pool.nodes[1]!.fail('silent');
      await pool.clock.until(lock.release());
      expect(at()).toBe(0);
    });

    it.each([700, -700, 60_000])('lasts as long though the clock is set by %d ms meanwhile', async (ms) => {
      let ahead = 0;
      const clock: Clock = {
        now: () => ({ monotonic: at(), wall: pool.clock.now().wall + ahead }),
        schedule: (delay, task) => pool.clock.schedule(delay, task),
        afterInput: (task) => pool.clock.afterInput(task),
        nextTurn: (task) => pool.clock.nextTurn(task),
      };
      const lock = await pool.clock.until(pool.client({ clock }).redlock.acquire('a', { ttl: 9_000, minHold: 5_000 }));
      await pool.clock.advance(100);
      ahead = ms;
      await pool.clock.until(lock.release());
      await pool.clock.advance(4_890);
      expect(isTaken()).toBe(true);
      await pool.clock.advance(20);
      expect(isTaken()).toBe(false);
    });

    it('takes nothing from another holder that has the resource by now', async () => {
      await pool.clock.until((await take()).release());
      pool.memory.forEach((node) => node.set('a', 'foreign'));
      await pool.clock.advance(10_000);
      expect(pool.owners('a')).toEqual(Array(3).fill('foreign'));
    });
  });

  describe('at shutdown', () => {
    it('is not waited for, and leaves no timer', async () => {
      await pool.clock.until((await take()).release());
      const before = at();
      await pool.clock.until(redlock.drain(60_000));
      await pool.clock.until(redlock.close());
      expect([at(), pool.clock.timers, isTaken()]).toEqual([before, 0, true]);
    });

    it('leaves no timer where a lock that was lost before is released after it', async () => {
      const lock = await take();
      pool.memory.forEach((node) => node.flush());
      await expect(pool.clock.until(lock.extend())).rejects.toMatchObject({ code: 'LOCK_LOST' });
      await pool.clock.until(redlock.close());
      await pool.clock.until(lock.release());
      expect(pool.clock.timers).toBe(0);
    });

    it('holds for a lock that is taken away from its holder', async () => {
      const lock = await take();
      await pool.clock.until(redlock.drain(100));
      expect([lock.isValid, lock.signal.aborted, isTaken()]).toEqual([false, true, true]);
    });
  });
});
