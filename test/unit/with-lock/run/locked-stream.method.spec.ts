import { beforeEach, describe, expect, it } from '@jest/globals';
import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { of, type Observable, type Subscription } from 'rxjs';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { LazyQuery } from '../../../support/nest/lazy-query.js';
import { runOn } from '../../../support/nest/locked-run.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { StubWay } from '../../../support/nest/stub-way.js';
import { Watched } from '../../../support/nest/watched.js';

describe('streamLocked, around a method of which an interceptor passes something on', () => {
  const timeout = new Error('408');
  let service: StubService;
  let way: StubWay;
  let work: Deferred<string>;
  let told: unknown[];
  let subscription: Subscription;
  /** Resolves with how the answer ended, and how many locks were held then. */
  let ended: Promise<unknown[]>;
  /** Lets all go on that can. */
  const settle = async (result: unknown): Promise<void> => {
    work.resolve('done');
    await result;
    await new Promise(setImmediate);
  };
  const state = (): [held: number, subscribers: number] => [service.held, way.chain.subscribers];

  beforeEach(async () => {
    service = new StubService();
    way = new StubWay();
    work = new Deferred();
    told = [];
    ended = new Promise((resolve) => {
      const end = (how: unknown): void => {
        told.push(how);
        resolve([how, service.held]);
      };
      const stream = streamLocked(runOn(service), way.open);
      subscription = stream.subscribe({
        next: (value) => told.push(value),
        error: end,
        complete: () => end('complete'),
      });
    });
    await way.chain.untilSubscribed();
  });

  describe('when its subscriber leaves a method that cannot be stopped', () => {
    it.each<[string, () => void]>([
      ['a value', () => way.chain.next('done')],
      ['an error', () => way.chain.error(new Error('business'))],
      ['the end', () => way.chain.complete()],
    ])(
      'keeps the lock for what is around it, too, until that passes %s on, and tells nothing of it',
      async (_what, pass) => {
        const result = way.begin(new LazyQuery(() => work.promise));
        subscription.unsubscribe();
        await settle(result);
        // What is around the method may commit now.
        expect(state()).toEqual([1, 1]);
        pass();
        await service.untilHeld(0);
        expect([told, way.chain.subscribers]).toEqual([[], 0]);
      },
    );

    it('keeps the lock for the method if what is around it has ended before', async () => {
      const result = way.begin(work.promise);
      subscription.unsubscribe();
      way.chain.complete();
      await new Promise(setImmediate);
      expect(service.held).toBe(1);
      await settle(result);
      expect(service.held).toBe(0);
    });

    it('takes no value for the answer that came before the method had settled', async () => {
      const result = way.begin(work.promise);
      way.chain.next('it has begun');
      subscription.unsubscribe();
      way.chain.next('it goes on');
      await settle(result);
      expect(state()).toEqual([1, 1]);
      way.chain.next('done');
      await service.untilHeld(0);
      expect(told).toEqual(['it has begun']);
    });

    it('keeps the lock for what is around a method that returned a plain value', async () => {
      way.begin('done');
      subscription.unsubscribe();
      await new Promise(setImmediate);
      expect(state()).toEqual([1, 1]);
      way.chain.next('done');
      await service.untilHeld(0);
    });

    it('lets go at once if the answer has been passed on: what an interceptor makes of it may be endless', async () => {
      way.begin('done');
      way.chain.next('done');
      subscription.unsubscribe();
      expect(way.chain.subscribers).toBe(0);
      await service.untilHeld(0);
    });

    it('lets go at once if the method has not begun', async () => {
      subscription.unsubscribe();
      expect(way.chain.subscribers).toBe(0);
      expect(() => way.begin('done')).toThrow(expect.objectContaining({ status: 499 }));
      await service.untilHeld(0);
    });

    it('lets go at once of a stream', async () => {
      const source = new Watched<number>();
      const stream = (way.begin(source.stream) as Observable<number>).subscribe();
      subscription.add(stream);
      subscription.unsubscribe();
      await service.untilHeld(0);
      expect([way.chain.subscribers, source.subscribers]).toEqual([0, 0]);
    });

    it('keeps the lock for a stream to which an interceptor goes on to listen', async () => {
      const source = new Watched<number>();
      (way.begin(source.stream) as Observable<number>).subscribe();
      subscription.unsubscribe();
      await new Promise(setImmediate);
      expect(state()).toEqual([1, 0]);
      source.complete();
      await service.untilHeld(0);
    });

    it('lets go of a promise as soon as that turns out to be of a stream', async () => {
      const result = way.begin(work.promise.then(() => new Watched().stream));
      subscription.unsubscribe();
      expect(state()).toEqual([1, 1]);
      await settle(result);
      expect(state()).toEqual([0, 0]);
    });

    it('lets go when the lock is lost', async () => {
      way.begin(work.promise);
      subscription.unsubscribe();
      service.locks[0]!.lose();
      await service.untilHeld(0);
      expect([told, way.chain.subscribers]).toEqual([[], 0]);
    });

    it('closes the file that nobody gets', async () => {
      const file = Readable.from(['a']);
      way.begin('done');
      subscription.unsubscribe();
      way.chain.next(new StreamableFile(file));
      expect(file.destroyed).toBe(true);
    });
  });

  describe('when the method has settled', () => {
    const pass = (...values: string[]): void => values.forEach((value) => way.chain.next(value));

    it('passes its result on after the release', async () => {
      way.begin('done');
      pass('done');
      way.chain.complete();
      expect([told, service.held]).toEqual([[], 1]);
      expect(await ended).toEqual(['complete', 0]);
      expect(told).toEqual(['done', 'complete']);
    });

    it('passes on at once what is followed by more', async () => {
      way.begin('done');
      pass('one', 'two');
      expect(told).toEqual(['one']);
      await new Promise(setImmediate);
      expect([told, service.held]).toEqual([['one', 'two'], 1]);
      way.chain.complete();
      await ended;
      expect(told).toEqual(['one', 'two', 'complete']);
    });

    it('tells the loss of the lock in place of the result, and closes the file that nobody gets', async () => {
      const file = new StreamableFile(new Readable({ read: () => undefined }));
      way.begin('done');
      way.chain.next(file);
      const lost = service.locks[0]!.lose();
      expect((await ended)[0]).toBe(lost);
      expect([told, file.getStream().destroyed]).toEqual([[lost], true]);
    });
  });

  describe('when the interceptor ends the answer', () => {
    describe.each([
      ['a promise', (promise: Promise<string>): unknown => promise],
      ['a thenable', (promise: Promise<string>): unknown => new LazyQuery(() => promise)],
      ['a promise that fails', (promise: Promise<string>): unknown => promise.then(() => Promise.reject(timeout))],
    ])('before %s of the method has settled', (_kind, resultOf) => {
      it.each(['error', 'complete'] as const)('passes that on at once, and keeps the lock: %s', async (how) => {
        const result = Promise.resolve(way.begin(resultOf(work.promise))).catch(() => 'failed');
        way.chain[how](timeout);
        expect(await ended).toEqual([how === 'error' ? timeout : 'complete', 1]);
        await new Promise(setImmediate);
        expect(service.held).toBe(1);
        work.resolve('done');
        await result;
        await service.untilHeld(0);
      });
    });

    it.each(['error', 'complete'] as const)('passes that on after the release if it has settled: %s', async (how) => {
      const result = way.begin(work.promise);
      work.resolve('done');
      await result;
      way.chain[how](timeout);
      expect(await ended).toEqual([how === 'error' ? timeout : 'complete', 0]);
    });

    it.each(['error', 'complete'] as const)('keeps no lock if the method has not begun: %s', async (how) => {
      way.chain[how](timeout);
      expect(await ended).toEqual([how === 'error' ? timeout : 'complete', 0]);
    });

    it('keeps the lock for a stream of the method that somebody else still listens to', async () => {
      const source = new Watched<number>();
      (way.begin(source.stream) as Observable<number>).subscribe();
      way.chain.complete();
      expect(await ended).toEqual(['complete', 1]);
      source.complete();
      await service.untilHeld(0);
    });

    it('refuses a stream of the method that is subscribed to afterwards', async () => {
      const stream = way.begin(of(1)) as Observable<number>;
      way.chain.complete();
      expect(await ended).toEqual(['complete', 0]);
      const refused = new Promise((resolve) => stream.subscribe({ next: resolve, error: resolve }));
      expect(await refused).toMatchObject({ code: 'LOCK_LOST', reason: 'released' });
    });

    it('tells a lost lock at once, while the method runs', async () => {
      way.begin(work.promise);
      const lost = service.locks[0]!.lose();
      expect(await ended).toEqual([lost, 0]);
    });
  });
});
