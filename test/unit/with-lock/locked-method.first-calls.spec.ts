import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { defer, isObservable, lastValueFrom, map, Observable, of, toArray } from 'rxjs';
import { ResourceLockedError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { CurrentLock } from '../../../lib/with-lock/current-lock.decorator.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from '../../support/nest/bound.js';
import { Deferred } from '../../support/nest/deferred.js';
import { lockedByHand } from '../../support/nest/locked-by-hand.js';
import { StubService } from '../../support/nest/stub-service.js';
import { Watched } from '../../support/nest/watched.js';

type Both<T> = Promise<T> & Observable<T>;

describe('the first call of a locked method that is not async', () => {
  let locker: StubService;
  let source: Watched<number>;

  beforeEach(() => {
    locker = new StubService();
    source = new Watched();
  });

  const streams = (options: object): (() => Both<number>) =>
    lockedByHand(() => source.stream as Both<number>, { service: locker, key: 'work', options });

  describe('with onContended: skip', () => {
    it('resolves with undefined, and completes without a value, if somebody else holds the lock', async () => {
      locker.refusal = new ResourceLockedError(['work'], 5, []);
      const result = streams({ onContended: 'skip' })();
      await expect(result).resolves.toBeUndefined();
      await expect(lastValueFrom(result.pipe(toArray()))).resolves.toEqual([]);
    });
  });

  describe('with onContended: join', () => {
    it('shares one subscription to the Observable, under one lock', async () => {
      const method = streams({ onContended: 'join' });
      const ends = [method(), method()].map((result) => lastValueFrom(result));
      await source.untilSubscribed();
      ends.push(lastValueFrom(method()));
      await locker.untilHeld(1);
      source.next(7);
      source.complete();
      await expect(Promise.all(ends)).resolves.toEqual([7, 7, 7]);
      expect([source.subscriptions, locker.calls.length]).toEqual([1, 1]);
      await locker.untilHeld(0);
    });

    it('shares one promise', async () => {
      const work = new Deferred<number>();
      let runs = 0;
      const method = lockedByHand(
        () => {
          runs += 1;
          return work.promise as Both<number>;
        },
        { service: locker, key: 'work', options: { onContended: 'join' } },
      );
      const ends = [method(), lastValueFrom(method())];
      work.resolve(5);
      await expect(Promise.all(ends)).resolves.toEqual([5, 5]);
      expect([runs, locker.calls.length, locker.held]).toEqual([1, 1, 0]);
    });
  });

  describe('with @CurrentLock()', () => {
    class Service {
      @WithLock('work:<0>')
      stream(_id: number, @CurrentLock() lock?: Lock): Observable<boolean> {
        return defer(() => of(lock === locker.locks.at(-1) && locker.held === locker.locks.length));
      }
    }

    it('passes the lock that is held while the Observable runs', async () => {
      const service = bound(new Service(), locker);
      await expect(lastValueFrom(service.stream(1))).resolves.toBe(true);
      expect([locker.locks.length, locker.held]).toEqual([1, 0]);
    });
  });

  describe('in a class that inherits it', () => {
    class Base {
      @WithLock('base', {})
      values(): Observable<number> {
        return of(1);
      }

      @WithLock('base', {})
      value(): Promise<number> {
        return Promise.resolve(1);
      }
    }

    class Derived extends Base {
      @WithLock('derived', {})
      override values(): Observable<number> {
        return super.values();
      }

      @WithLock('derived', {})
      override value(): Promise<number> {
        return super.value();
      }
    }

    it('is an Observable where the overriding method returns that of the base, now and later', async () => {
      const service = bound(new Derived(), locker);
      await expect(lastValueFrom(service.values())).resolves.toBe(1);
      const later = service.values();
      expect([later instanceof Promise, isObservable(later)]).toEqual([false, true]);
      await expect(lastValueFrom(later.pipe(map((value) => value)))).resolves.toBe(1);
      expect(locker.calls.map(({ resources }) => resources[0])).toEqual(['derived', 'base', 'derived', 'base']);
    });

    it('is a promise where the overriding method returns that of the base, now and later', async () => {
      const service = bound(new Derived(), locker);
      await expect(service.value()).resolves.toBe(1);
      const later = service.value();
      expect([later instanceof Promise, isObservable(later)]).toEqual([true, false]);
      await expect(later).resolves.toBe(1);
      expect(locker.held).toBe(0);
    });
  });

  describe('on real locks', () => {
    let pool: RedlockService;

    beforeEach(() => {
      pool = new RedlockService([new MemoryNode('memory', new SystemClock())], { defaults: { waitTimeout: 500 } });
    });
    afterEach(() => pool.onApplicationShutdown());

    const locked = async (name: string): Promise<boolean> => {
      const lock = await pool.tryAcquire(name);
      await lock?.release();
      return lock === null;
    };

    it('keeps the lock for work that has begun when the method returns', async () => {
      const work = new Deferred<string>();
      const hot = lockedByHand(
        () => {
          const begun = work.promise;
          return defer(() => begun);
        },
        { service: pool, key: 'hot' },
      );
      const end = lastValueFrom(hot());
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await locked('hot')).toBe(true);
      work.resolve('done');
      await expect(end).resolves.toBe('done');
      expect(await locked('hot')).toBe(false);
    });

    it('lets a reentrant call within the Observable run under the same lock', async () => {
      const inner = lockedByHand(async () => 'inner', { service: pool, key: 'work', options: { reentrant: true } });
      const outer = lockedByHand(() => defer(() => inner()), { service: pool, key: 'work' });
      await expect(lastValueFrom(outer())).resolves.toBe('inner');
      await expect(lastValueFrom(outer())).resolves.toBe('inner');
    });

    it('excludes a second subscriber until the first one has ended', async () => {
      const method = lockedByHand(() => source.stream, { service: pool, key: 'work' });
      const result = method();
      const ends = [result, result].map((stream) => lastValueFrom(stream, { defaultValue: 'end' }));
      await source.untilSubscribed();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(source.subscriptions).toBe(1);
      source.complete();
      await expect(Promise.all(ends)).resolves.toEqual(['end', 'end']);
    });
  });
});

describe('a locked method that returns a plain value', () => {
  let warned: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });
  afterEach(() => warned.mockRestore());

  it('is a promise to its callers, and the first call warns what to write', async () => {
    const mayExport = lockedByHand((_id: number): unknown => false, { service: new StubService() });
    await expect(mayExport(1)).resolves.toBe(false);
    await expect(mayExport(2)).resolves.toBe(false);
    await expect(lastValueFrom(mayExport(3) as Observable<unknown>)).resolves.toBe(false);
    expect(warned.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^@WithLock on Service\.work returned neither a Promise nor an Observable.*make it async/,
        ),
      ],
    ]);
  });

  it('warns nobody of methods that return promises or Observables', async () => {
    const service = new StubService();
    await lockedByHand(async () => undefined, { service, key: 'work' })();
    await lockedByHand(() => Promise.resolve(), { service, key: 'work' })();
    await lastValueFrom(lockedByHand(() => of(1), { service, key: 'work' })());
    expect(warned).not.toHaveBeenCalled();
  });
});
