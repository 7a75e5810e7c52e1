import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';
import type { Clock } from '../../../lib/engine/clock.js';

const KEEP = { ttl: 1_000, minHold: 5_000 };

describe('minHold', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  let rival: Redlock;
  let events: LockEvent[];
  const take = (options: LockOptions = KEEP): Promise<Lock> => pool.clock.until(redlock.acquire('a', options));
  const isTaken = (resource = 'a'): boolean => pool.owners(resource).some((owner) => owner !== undefined);
  const at = (): number => pool.clock.now().monotonic;
  const types = (): string[] => events.map(({ type }) => type);

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock, events } = pool.client());
    rival = pool.client().redlock;
  });

  it('keeps the lock on every node after its release, and no longer', async () => {
    const lock = await take();
    await pool.clock.advance(300);
    await pool.clock.until(lock.release());
    await pool.clock.advance(4_699);
    expect(pool.owners('a')).toEqual(Array(3).fill(`${lock.value}.kept`));
    await pool.clock.advance(2);
    expect(isTaken()).toBe(false);
  });

  it('ends the lease for its holder at once, and tells so', async () => {
    const lock = await take({ ...KEEP, autoExtend: true });
    const { signal } = lock;
    await pool.clock.advance(300);
    const before = at();
    await pool.clock.until(lock.release());
    expect(at()).toBe(before);
    expect([lock.isValid, lock.validity, signal.aborted]).toEqual([false, 0, false]);
    expect(events.at(-1)).toMatchObject({ type: 'released', resources: ['a'], held: 300 });
    const asked = pool.nodes[0]!.callsOf('extend').length;
    await pool.clock.advance(4_600);
    expect([pool.nodes[0]!.callsOf('extend').length, types()]).toEqual([asked, ['acquired', 'released']]);
  });

  it('makes the nodes keep it, so that it ends in time though the process ends before', async () => {
    const lock = await take({ ttl: 60_000, minHold: 5_000 });
    await pool.clock.advance(300);
    await pool.clock.until(lock.release());
    await redlock.close();
    await pool.clock.advance(4_690);
    expect(isTaken()).toBe(true);
    await pool.clock.advance(20);
    expect(isTaken()).toBe(false);
  });

  it('is counted from when the lock was taken, not from when it was asked for', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 2_000));
    const lock = await take();
    const taken = at();
    expect(taken).toBeGreaterThanOrEqual(2_000);
    await pool.clock.until(lock.release());
    await pool.clock.advance(4_999 - (at() - taken));
    expect(isTaken()).toBe(true);
  });

  it('makes no difference to what takes longer', async () => {
    const lock = await take({ ...KEEP, autoExtend: true });
    await pool.clock.advance(5_000);
    await pool.clock.until(lock.release());
    expect([isTaken(), pool.nodes[0]!.callsOf('release').length]).toEqual([false, 1]);
  });

  it.each([0, undefined])('is none where it is %s', async (minHold) => {
    await pool.clock.until((await take({ minHold })).release());
    expect(isTaken()).toBe(false);
  });

  it('keeps the lock of work that failed, too', async () => {
    const work = redlock.withLock('a', () => Promise.reject(new Error('business')), KEEP);
    await expect(pool.clock.until(work)).rejects.toThrow('business');
    await expect(pool.clock.until(rival.tryAcquire('a'))).resolves.toBeNull();
  });

  it('keeps several resources', async () => {
    await pool.clock.until((await pool.clock.until(redlock.acquire(['a', 'b'], KEEP))).release());
    await pool.clock.advance(4_990);
    expect([isTaken('a'), isTaken('b')]).toEqual([true, true]);
    await pool.clock.advance(20);
    expect([isTaken('a'), isTaken('b')]).toEqual([false, false]);
  });

  it('does nothing for a nested lock', async () => {
    const outer = redlock.withLock('a', () => redlock.withLock('a', () => 'inner', { ...KEEP, reentrant: true }));
    await expect(pool.clock.until(outer)).resolves.toBe('inner');
    expect(isTaken()).toBe(false);
  });

  it.each(['another process', 'the same process'])('lets a waiter of %s have it when it is over', async (where) => {
    const lock = await take();
    await pool.clock.advance(300);
    const other = where === 'the same process' ? redlock : rival;
    // It would not ask again by itself.
    const waiter = other.acquire('a', { waitTimeout: 60_000, retryDelay: 30_000, retryJitter: 0 });
    await pool.clock.advance(10);
    await pool.clock.until(lock.release());
    const next = await pool.clock.until(waiter);
    expect([at() >= 5_000, at() <= 5_010]).toEqual([true, true]);
    expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
  });

  it('makes a new caller of the same process wait like all others', async () => {
    await pool.clock.until((await take()).release());
    await expect(pool.clock.until(redlock.tryAcquire('a'))).resolves.toBeNull();
    await expect(pool.clock.until(redlock.acquire('a', { waitTimeout: 1_000 }))).rejects.toMatchObject({
      code: 'RESOURCE_LOCKED',
    });
  });

  it('holds for a lock that was handed over, and released at once', async () => {
    const first = await take({ ttl: 1_000 });
    const waiter = rival.acquire('a', KEEP);
    await pool.clock.advance(10);
    await pool.clock.until(first.release());
    const second = await pool.clock.until(waiter);
    const taken = at();
    await pool.clock.until(second.release());
    await pool.clock.advance(4_990 - (at() - taken));
    expect(pool.owners('a')).toEqual(Array(3).fill(`${second.value}.kept`));
  });

  describe('whatever happens', () => {
    it('outlasts a holder that is never heard of again', async () => {
      const lock = await take();
      expect(lock.validity).toBeGreaterThan(4_900);
      await pool.clock.advance(4_999);
      expect(isTaken()).toBe(true);
    });

    it.each(['silent', 'down', 'broken', 'lost reply'] as const)(
      'lasts if every node is %s at the release, which neither fails nor takes long',
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

    it('leaves no timer if a lock that was lost before is released after it', async () => {
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
