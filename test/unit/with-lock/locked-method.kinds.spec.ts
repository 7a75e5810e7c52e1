import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { firstValueFrom, from, isObservable, lastValueFrom, map, Observable, of, switchMap, toArray } from 'rxjs';
import { LockKeyError, LockLostError, ResourceLockedError } from '../../../lib/engine/errors.js';
import { Deferred } from '../../support/nest/deferred.js';
import { lockedByHand } from '../../support/nest/locked-by-hand.js';
import { StubService } from '../../support/nest/stub-service.js';
import { Watched } from '../../support/nest/watched.js';

/** What a first call returns. */
type Both<T> = Promise<T> & Observable<T>;

async function awaited(result: Promise<unknown>): Promise<unknown> {
  const value = await result;
  return value;
}

const turn = (): Promise<void> => new Promise(setImmediate);

describe('a locked method whose type no compiler has written down', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  let locker: StubService;
  let source: Watched<number>;
  let logged: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    locker = new StubService();
    source = new Watched();
    unhandled.length = 0;
    process.on('unhandledRejection', note);
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  });

  afterEach(async () => {
    await turn();
    process.off('unhandledRejection', note);
    logged.mockRestore();
    expect(unhandled).toEqual([]);
  });

  const streams = (): ((id: number) => Both<number>) =>
    lockedByHand((_id: number) => source.stream as Both<number>, { service: locker });
  const promises = (): ((id: number) => Both<number>) =>
    lockedByHand((id: number) => Promise.resolve(id) as Both<number>, { service: locker });

  describe('when it is called for the first time', () => {
    it.each([
      ['a promise', promises],
      ['an Observable', streams],
    ])('starts at once, and returns a promise that is an Observable as well, if it will return %s', (_what, make) => {
      const result = make()(5);
      expect(locker.calls.map(({ resources }) => resources)).toEqual([['work:5']]);
      expect([result instanceof Promise, isObservable(result)]).toEqual([true, true]);
      const members = [result.then, result.catch, result.finally, result.subscribe, result.pipe, result.forEach];
      expect(members.every((member) => typeof member === 'function')).toBe(true);
    });

    it.each<[string, (result: Both<number>) => Promise<unknown>]>([
      ['then', (result) => result.then((value) => value)],
      ['await', awaited],
      ['finally', (result) => result.finally(() => undefined)],
      ['Promise.race', (result) => Promise.race([result, new Promise(() => undefined)])],
      ['lastValueFrom', (result) => lastValueFrom(result)],
      ['firstValueFrom', (result) => firstValueFrom(result)],
      ['from', (result) => lastValueFrom(from(result as Observable<number>))],
      ['pipe', (result) => lastValueFrom(result.pipe(map((value) => value)))],
      ['an operator', (result) => lastValueFrom(map((value: number) => value)(result))],
      ['switchMap', (result) => lastValueFrom(of(0).pipe(switchMap(() => result as Observable<number>)))],
      ['forEach', (result) => new Promise((resolve) => void result.forEach(resolve))],
    ])('gives the value of its promise to %s', async (_way, read) => {
      await expect(read(promises()(5))).resolves.toBe(5);
      await locker.untilHeld(0);
    });

    it.each<[string, (result: Both<number>) => Observable<number>]>([
      ['itself', (result) => result],
      ['from', (result) => from(result as Observable<number>)],
      ['pipe', (result) => result.pipe(map((value) => value))],
      ['switchMap', (result) => of(0).pipe(switchMap(() => result as Observable<number>))],
    ])('gives the values of its Observable to those who subscribe by %s', async (_way, read) => {
      const method = lockedByHand((count: number) => of(...Array(count).keys()) as unknown as Both<number>, {
        service: locker,
      });
      await expect(lastValueFrom(read(method(3)).pipe(toArray()))).resolves.toEqual([0, 1, 2]);
    });

    it('holds the lock from the call of the method to the end of the subscription', async () => {
      let end = '';
      const values: number[] = [];
      streams()(5).subscribe({
        next: (value) => values.push(value),
        complete: () => (end = `completed, ${locker.held} held`),
      });
      await source.untilSubscribed();
      await turn();
      await turn();
      source.next(1);
      expect([values, locker.held, end]).toEqual([[1], 1, '']);
      source.complete();
      await locker.untilHeld(0);
      await turn();
      // The lock is released before the end is told.
      expect([end, locker.calls.length]).toEqual(['completed, 0 held', 1]);
    });

    it('releases the lock when the subscriber leaves', async () => {
      const subscription = streams()(5).subscribe();
      await source.untilSubscribed();
      subscription.unsubscribe();
      await locker.untilHeld(0);
      expect([source.subscribers, source.subscriptions]).toEqual([0, 1]);
    });

    it('calls the method again for each further subscription, under a lock of its own', async () => {
      let runs = 0;
      const result = lockedByHand(() => of((runs += 1)), { service: locker, key: 'work' })();
      const values = await Promise.all([lastValueFrom(result), lastValueFrom(result)]);
      expect([values.sort(), locker.calls.length, locker.held]).toEqual([[1, 2], 2, 0]);
    });

    it('promises the Observable to a caller that awaits it, which may subscribe under the same lock', async () => {
      const stream = (await streams()(5)) as unknown as Observable<number>;
      expect([isObservable(stream), stream instanceof Promise]).toEqual([true, false]);
      const end = lastValueFrom(stream);
      await source.untilSubscribed();
      source.next(7);
      source.complete();
      await expect(end).resolves.toBe(7);
      expect([locker.calls.length, locker.held]).toEqual([1, 0]);
    });

    it('releases the lock of an Observable to which nobody subscribes, and locks it later', async () => {
      const stream = (await streams()(5)) as unknown as Observable<number>;
      await locker.untilHeld(0);
      stream.subscribe();
      await source.untilSubscribed();
      expect([locker.calls.length, locker.held]).toEqual([2, 1]);
    });

    it('tells nothing to a subscriber that has left before the method returns, and subscribes to nothing', async () => {
      locker.turn = new Deferred();
      const told: unknown[] = [];
      const tell = (what: unknown): void => void told.push(what);
      const result = streams()(5);
      result.subscribe({ next: tell, error: tell, complete: () => tell('end') }).unsubscribe();
      locker.turn.resolve();
      await locker.untilHeld(1);
      await locker.untilHeld(0);
      expect([told, source.subscriptions]).toEqual([[], 0]);
    });

    it('tells a subscriber that the lock is lost, and stops the Observable', async () => {
      const end = lastValueFrom(streams()(5));
      await source.untilSubscribed();
      const lost = locker.locks[0]!.lose();
      await expect(end).rejects.toBe(lost);
      expect([lost, source.subscribers]).toEqual([expect.any(LockLostError), 0]);
    });

    it('hands on the error of the Observable, after the release', async () => {
      const end = lastValueFrom(streams()(5));
      await source.untilSubscribed();
      source.error(new Error('business'));
      await expect(end).rejects.toThrow('business');
      expect(locker.held).toBe(0);
    });

    it('locks concurrent first calls each for itself', async () => {
      const method = streams();
      const results = [1, 2].map((id) => lastValueFrom(method(id), { defaultValue: 'none' }));
      await locker.untilHeld(2);
      await source.untilSubscribed();
      await turn();
      source.complete();
      await expect(Promise.all(results)).resolves.toEqual(['none', 'none']);
      expect([locker.calls.length, source.subscriptions]).toEqual([2, 2]);
    });
  });

  describe('that fails before anybody knows what it returns', () => {
    const refused = (): ((id?: number) => Both<number>) => {
      locker.refusal = new ResourceLockedError(['work:5'], 5, []);
      return streams() as (id?: number) => Both<number>;
    };

    it('rejects for a caller that awaits it', async () => {
      await expect(refused()(5)).rejects.toBe(locker.refusal);
      await expect(refused()()).rejects.toBeInstanceOf(LockKeyError);
    });

    it('tells a subscriber by an error notification, and leaves no rejection behind', async () => {
      const told: unknown[] = [];
      refused()(5).subscribe({ error: (error) => told.push(error) });
      refused()().subscribe({ error: (error) => told.push(error) });
      await turn();
      expect(told).toEqual([expect.any(LockKeyError), locker.refusal]);
      expect(logged).not.toHaveBeenCalled();
    });

    it('ends no process if its caller drops the result, but says so in the log', async () => {
      void refused()(5);
      await turn();
      await turn();
      expect(logged.mock.calls).toEqual([
        [expect.stringMatching(/@WithLock on Service\.work.*nobody/), locker.refusal],
      ]);
    });

    it('tells a caller that no service can give the lock', async () => {
      const method = lockedByHand(() => source.stream as Both<number>, { key: 'work' });
      await expect(method()).rejects.toMatchObject({ code: 'NO_SERVICE' });
      await expect(lastValueFrom(method())).rejects.toMatchObject({ code: 'NO_SERVICE' });
    });
  });

  describe('when its first call has ended', () => {
    it('returns an Observable, which calls the method under its lock with every subscription', async () => {
      let runs = 0;
      const method = lockedByHand(
        (id: number) => {
          runs += 1;
          return of(id);
        },
        { service: locker },
      );
      await lastValueFrom(method(1));
      const stream = method(2);
      expect([stream instanceof Promise, isObservable(stream)]).toEqual([false, true]);
      await turn();
      expect([locker.calls.length, runs]).toEqual([1, 1]);
      await lastValueFrom(stream);
      await lastValueFrom(stream);
      expect([locker.calls.length, runs]).toEqual([3, 3]);
    });

    it('returns a promise and nothing else', async () => {
      const method = promises();
      await method(1);
      const result = method(2);
      expect([result.constructor, isObservable(result)]).toEqual([Promise, false]);
      await result;
    });

    it('returns a promise also if its promise was rejected', async () => {
      const method = lockedByHand((_id: number) => Promise.reject(new Error('business')), { service: locker });
      await expect(method(1)).rejects.toThrow('business');
      const result = method(2);
      expect(isObservable(result)).toBe(false);
      await expect(result).rejects.toThrow('business');
    });

    it('tells a subscriber of every mistake in the key by an error notification', async () => {
      const method = lockedByHand((id?: number) => of(id), { service: locker });
      await lastValueFrom(method(1));
      await expect(lastValueFrom(method())).rejects.toBeInstanceOf(LockKeyError);
    });
  });

  it('is called and released under the fake timers of a test', async () => {
    jest.useFakeTimers();
    try {
      const stream = (await streams()(5)) as unknown as Observable<number>;
      expect(isObservable(stream)).toBe(true);
      await locker.untilHeld(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('returns a promise from the first call on if it is a native async function', async () => {
    const result = lockedByHand(async (id: number) => id, { service: locker })(1);
    expect([result.constructor, isObservable(result)]).toEqual([Promise, false]);
    await expect(result).resolves.toBe(1);
  });

  describe('that returns now a promise, now an Observable', () => {
    const mixed = (): ((id: number) => Both<number>) =>
      lockedByHand((id: number) => (id % 2 === 1 ? of(id) : Promise.resolve(id)) as Both<number>, {
        service: locker,
      });

    it.each([
      ['an Observable', 1, 2],
      ['a promise', 2, 1],
    ])('is both to its callers as soon as that is known, after %s', async (_first, ...order) => {
      const method = mixed();
      for (const id of order) {
        from(method(id) as Observable<number>).subscribe();
        await locker.untilHeld(0);
      }
      const both = method(2);
      expect([both instanceof Promise, isObservable(both)]).toEqual([true, true]);
      await expect(both).resolves.toBe(2);
      await locker.untilHeld(0);
    });

    it('keeps the lock for a promise, whose subscriber leaves, to its end', async () => {
      const work = new Deferred<number>();
      let isFirst = true;
      const method = lockedByHand(
        (_id: number) => {
          const result = isFirst ? of(1) : work.promise;
          isFirst = false;
          return result as Both<number>;
        },
        { service: locker },
      );
      await lastValueFrom(method(1));
      const subscription = method(2).subscribe();
      await locker.untilHeld(1);
      subscription.unsubscribe();
      await turn();
      expect(locker.held).toBe(1);
      work.resolve(2);
      await locker.untilHeld(0);
    });
  });
});
