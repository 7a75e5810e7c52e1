import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { codeOf, TestedPool } from '../../support/tested-pool.js';
import { turn } from '../../support/turn.js';

describe('a pool under test', () => {
  let pool: TestedPool;

  beforeEach(async () => {
    pool = await TestedPool.start();
  });
  afterEach(() => pool.close());

  describe('looked at', () => {
    it('says what is locked', async () => {
      const lock = await pool.service.acquire(['b', 'a']);
      pool.testing.hold('c');
      expect([pool.testing.isLocked('a'), pool.testing.isLocked('c'), pool.testing.isLocked('d')]).toEqual([
        true,
        true,
        false,
      ]);
      expect(pool.testing.locked()).toEqual(['a', 'b', 'c']);
      await lock.release();
      expect(pool.testing.locked()).toEqual(['c']);
    });

    it('calls nothing locked that only a minority of nodes has', async () => {
      pool.testing.nodes[0]!.down();
      const lock = await pool.service.acquire('a');
      pool.testing.nodes[1]!.restart();
      expect([pool.testing.isLocked('a'), pool.testing.locked()]).toEqual([false, []]);
      await lock.release();
    });

    it('says how many wait', async () => {
      const held = pool.testing.hold('a');
      const waiters = [1, 2].map(() => pool.service.withLock('a', () => pool.testing.waiting('a')));
      await pool.testing.untilWaiting('a', 2);
      await pool.testing.until('contended', 'a', 2);
      expect([pool.testing.waiting('a'), pool.testing.count('contended', 'a')]).toEqual([2, 2]);
      held.release();
      await turn();
      expect(await Promise.all(waiters)).toEqual([1, 0]);
    });

    it('says what has happened', async () => {
      await pool.service.withLock('a', () => undefined);
      await pool.service.withLock('b', () => undefined);
      expect(pool.testing.events.map(({ type }) => type)).toEqual(['acquired', 'released', 'acquired', 'released']);
      expect([pool.testing.count('acquired'), pool.testing.count('acquired', 'a'), pool.testing.count('lost')]).toEqual(
        [2, 1, 0],
      );
    });
  });

  describe('with another holder', () => {
    it('finds held what they hold, until they release it', async () => {
      const held = pool.testing.hold('a');
      expect(held.resource).toBe('a');
      expect(await pool.service.tryAcquire('a')).toBeNull();
      held.release();
      held.release();
      expect(await codeOf(pool.service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
    });

    it('hands the lock to its waiter', async () => {
      using held = pool.testing.hold('a');
      const waiting = pool.service.acquire('a', { waitTimeout: 100 });
      await pool.testing.until('contended', 'a');
      held.release();
      const lock = await waiting;
      expect(lock.isValid).toBe(true);
      await lock.release();
    });

    it('finds it free once they have died', async () => {
      pool.testing.hold('a', { ttl: 2_000 });
      const error = await pool.service.acquire('a', { waitTimeout: 0 }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'RESOURCE_LOCKED', retryAfter: 2_000 });
      const waiting = pool.service.acquire('a');
      await pool.testing.advance(1_999);
      expect(pool.testing.count('acquired')).toBe(0);
      await pool.testing.advance(301);
      expect(pool.testing.count('acquired')).toBe(1);
      await (await waiting).release();
    });

    it('lets them release what they hold where it is in a block of its own', async () => {
      {
        using held = pool.testing.hold('a');
        expect(pool.testing.isLocked(held.resource)).toBe(true);
      }
      expect(pool.testing.isLocked('a')).toBe(false);
    });

    it('refuses what is held already, and what is no resource or no ttl', async () => {
      pool.testing.hold('a');
      expect(() => pool.testing.hold('a')).toThrow('"a" is held already');
      await pool.service.acquire('b');
      expect(() => pool.testing.hold('b')).toThrow('"b" is held already');
      expect(() => pool.testing.hold('')).toThrow(expect.objectContaining({ code: 'LOCK_KEY' }));
      expect(() => pool.testing.hold('c', { ttl: 0 })).toThrow(RangeError);
      expect(() => pool.testing.hold('c', { ttl: '5' as never })).toThrow(TypeError);
      expect(pool.testing.isLocked('c')).toBe(false);
    });
  });

  describe('whose locks are taken away', () => {
    it('aborts the signal, and rejects withLock', async () => {
      let lock: Lock | undefined;
      const work = pool.service.withLock('a', async (given) => {
        lock = given;
        await new Promise((resolve) => given.signal.addEventListener('abort', resolve));
        return 'done all the same';
      });
      await pool.testing.until('acquired', 'a');
      await pool.testing.loseLock('a');
      expect(await codeOf(work)).toBe('LOCK_LOST');
      expect([lock!.isValid, lock!.signal.reason]).toEqual([false, expect.objectContaining({ code: 'LOCK_LOST' })]);
      expect(pool.testing.count('lost', 'a')).toBe(1);
      expect(pool.testing.isLocked('a')).toBe(false);
    });

    it('takes them from acquire too', async () => {
      const lock = await pool.service.acquire(['a', 'b']);
      await pool.testing.loseLock('b');
      expect(() => lock.assertValid()).toThrow('the test took it away');
    });

    it('lets a waiter have it', async () => {
      await pool.service.acquire('a');
      const next = pool.service.acquire('a');
      await turn();
      await pool.testing.loseLock('a');
      await (await next).release();
    });

    it('says where there is nothing to lose', async () => {
      await expect(pool.testing.loseLock('a')).rejects.toThrow('The application does not hold "a"; nothing is locked');
      pool.testing.hold('a');
      await expect(pool.testing.loseLock('a')).rejects.toThrow('The application does not hold "a"; locked is "a"');
      await (await pool.service.acquire('b')).release();
      await expect(pool.testing.loseLock('b')).rejects.toThrow(/does not hold "b"/);
    });
  });

  it('is as new after a reset, except for locks that the application holds', async () => {
    await pool.service.acquire('ours');
    pool.testing.hold('a');
    pool.testing.hold('b');
    pool.testing.outage();
    pool.testing.reset();
    await turn();
    expect([pool.testing.locked(), pool.testing.events]).toEqual([['ours'], []]);
    expect(await codeOf(pool.service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
  });
});
