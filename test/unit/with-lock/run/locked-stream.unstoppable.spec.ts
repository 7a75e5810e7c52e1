import { beforeEach, describe, expect, it } from '@jest/globals';
import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import type { Observable, Subscription } from 'rxjs';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { LazyQuery } from '../../../support/nest/lazy-query.js';
import { runOn } from '../../../support/nest/locked-run.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { StubWay } from '../../../support/nest/stub-way.js';
import { Watched } from '../../../support/nest/watched.js';

describe('streamLocked, when its subscriber leaves a method that cannot be stopped', () => {
  let service: StubService;
  let way: StubWay;
  let work: Deferred<string>;
  let told: unknown[];
  let subscription: Subscription;
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
    const tell = (value: unknown): void => void told.push(value);
    subscription = streamLocked(runOn(service), way.open).subscribe({
      next: tell,
      error: tell,
      complete: () => tell(''),
    });
    await way.chain.untilSubscribed();
  });

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

  it('keeps the lock for the method where what is around it has ended before', async () => {
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

  it('lets go at once where the answer has been passed on: what an interceptor makes of it may be endless', async () => {
    way.begin('done');
    way.chain.next('done');
    subscription.unsubscribe();
    expect(way.chain.subscribers).toBe(0);
    await service.untilHeld(0);
  });

  it('lets go at once where the method has not begun', async () => {
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
