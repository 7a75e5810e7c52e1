import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Lock } from '../../../lib/core/api/lock.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';

const turn = (): Promise<void> => new Promise(setImmediate);
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? error,
  );

describe('a pool under test', () => {
  let module: TestingModule;
  let testing: RedlockTesting;
  let service: RedlockService;

  const start = async (options = {}): Promise<void> => {
    module = await Test.createTestingModule({
      imports: [RedlockTestingModule.forRoot({ clock: 'manual', ...options })],
    }).compile();
    module.useLogger(false);
    testing = module.get(RedlockTesting);
    service = module.get(RedlockService);
  };

  beforeEach(() => start());
  afterEach(() => module.close());

  describe('looked at', () => {
    it('says what is locked', async () => {
      const lock = await service.acquire(['b', 'a']);
      testing.hold('c');
      expect([testing.isLocked('a'), testing.isLocked('c'), testing.isLocked('d')]).toEqual([true, true, false]);
      expect(testing.locked()).toEqual(['a', 'b', 'c']);
      await lock.release();
      expect(testing.locked()).toEqual(['c']);
    });

    it('calls nothing locked that only a minority of nodes has', async () => {
      testing.nodes[0]!.down();
      const lock = await service.acquire('a');
      testing.nodes[1]!.restart();
      expect([testing.isLocked('a'), testing.locked()]).toEqual([false, []]);
      await lock.release();
    });

    it('says how many wait', async () => {
      const held = testing.hold('a');
      const waiters = [1, 2].map(() => service.withLock('a', () => testing.waiting('a')));
      await testing.untilWaiting('a', 2);
      expect([testing.waiting('a'), testing.count('contended', 'a')]).toEqual([2, 2]);
      held.release();
      await turn();
      expect(await Promise.all(waiters)).toEqual([1, 0]);
    });

    it('says what has happened', async () => {
      await service.withLock('a', () => undefined);
      await service.withLock('b', () => undefined);
      expect(testing.events.map(({ type }) => type)).toEqual(['acquired', 'released', 'acquired', 'released']);
      expect([testing.count('acquired'), testing.count('acquired', 'a'), testing.count('lost')]).toEqual([2, 1, 0]);
    });
  });

  describe('with somebody else', () => {
    it('finds held what they hold, until they release it', async () => {
      const held = testing.hold('a');
      expect(held.resource).toBe('a');
      expect(await service.tryAcquire('a')).toBeNull();
      held.release();
      held.release();
      expect(await codeOf(service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
    });

    it('hands the lock to whoever waits for it', async () => {
      using held = testing.hold('a');
      const waiting = service.acquire('a', { waitTimeout: 100 });
      await testing.until('contended', 'a');
      held.release();
      const lock = await waiting;
      expect(lock.isValid).toBe(true);
      await lock.release();
    });

    it('finds it free once they have died', async () => {
      testing.hold('a', { ttl: 2_000 });
      const error = await service.acquire('a', { waitTimeout: 0 }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'RESOURCE_LOCKED', retryAfter: 2_000 });
      const waiting = service.acquire('a');
      await testing.advance(1_999);
      expect(testing.count('acquired')).toBe(0);
      await testing.advance(301);
      expect(testing.count('acquired')).toBe(1);
      await (await waiting).release();
    });

    it('lets them release what they hold where it is in a block of its own', async () => {
      {
        using held = testing.hold('a');
        expect(testing.isLocked(held.resource)).toBe(true);
      }
      expect(testing.isLocked('a')).toBe(false);
    });

    it('refuses what is held already, and what is no resource or no ttl', async () => {
      testing.hold('a');
      expect(() => testing.hold('a')).toThrow('"a" is held already');
      await service.acquire('b');
      expect(() => testing.hold('b')).toThrow('"b" is held already');
      expect(() => testing.hold('')).toThrow(expect.objectContaining({ code: 'LOCK_KEY' }));
      expect(() => testing.hold('c', { ttl: 0 })).toThrow(RangeError);
      expect(() => testing.hold('c', { ttl: '5' as never })).toThrow(TypeError);
      expect(testing.isLocked('c')).toBe(false);
    });
  });

  describe('whose locks are taken away', () => {
    it('aborts the signal, and rejects withLock', async () => {
      let lock: Lock | undefined;
      const work = service.withLock('a', async (given) => {
        lock = given;
        await new Promise((resolve) => given.signal.addEventListener('abort', resolve));
        return 'done all the same';
      });
      await testing.until('acquired', 'a');
      await testing.loseLock('a');
      expect(await codeOf(work)).toBe('LOCK_LOST');
      expect([lock!.isValid, lock!.signal.reason]).toEqual([false, expect.objectContaining({ code: 'LOCK_LOST' })]);
      expect(testing.count('lost', 'a')).toBe(1);
      expect(testing.isLocked('a')).toBe(false);
    });

    it('takes them from acquire too', async () => {
      const lock = await service.acquire(['a', 'b']);
      await testing.loseLock('b');
      expect(() => lock.assertValid()).toThrow('the test took it away');
    });

    it('lets whoever waits have it', async () => {
      await service.acquire('a');
      const next = service.acquire('a');
      await turn();
      await testing.loseLock('a');
      await (await next).release();
    });

    it('says where there is nothing to lose', async () => {
      await expect(testing.loseLock('a')).rejects.toThrow('The application does not hold "a"; nothing is locked');
      testing.hold('a');
      await expect(testing.loseLock('a')).rejects.toThrow('The application does not hold "a"; locked is "a"');
      await (await service.acquire('b')).release();
      await expect(testing.loseLock('b')).rejects.toThrow(/does not hold "b"/);
    });
  });

  it('is as new after a reset, but for what the application holds', async () => {
    await service.acquire('ours');
    testing.hold('a');
    testing.hold('b');
    testing.outage();
    testing.reset();
    await turn();
    expect([testing.locked(), testing.events]).toEqual([['ours'], []]);
    expect(await codeOf(service.withLock('a', () => undefined, { waitTimeout: 0 }))).toBe('done');
  });
});
