import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { MethodWork } from '../../../../lib/with-lock/run/method-work.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { LazyQuery } from '../../../support/nest/lazy-query.js';
import { Watched } from '../../../support/nest/watched.js';

class Work extends MethodWork {
  run(result: () => unknown): unknown {
    return this.watch(result, undefined);
  }

  protected override assertUnderLock(isInTime: boolean): void {
    if (!isInTime) throw new Error('late');
  }

  protected override besides(): Observable<unknown> {
    return of('besides');
  }
}

describe('MethodWork', () => {
  let work: Work;
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);

  beforeEach(() => {
    work = new Work();
    unhandled.length = 0;
    process.on('unhandledRejection', note);
  });

  afterEach(() => {
    process.off('unhandledRejection', note);
  });

  it('has settled at once where the method returns a plain value, or throws; not before it has begun', () => {
    expect(work.isSettled).toBe(false);
    expect(work.run(() => 'done')).toBe('done');
    expect([work.isSettled, work.end()]).toEqual([true, undefined]);
    const failing = new Work();
    const error = new Error('business');
    expect(() =>
      failing.run(() => {
        throw error;
      }),
    ).toThrow(error);
    expect(failing.isSettled).toBe(true);
  });

  it('has settled when its promise has, before the caller of the method hears of it', async () => {
    const result = new Deferred<string>();
    const seen = (work.run(() => result.promise) as Promise<string>).then((value) => [value, work.isSettled]);
    const end = work.end();
    expect([work.isSettled, end]).toEqual([false, expect.any(Promise)]);
    result.resolve('done');
    await expect(seen).resolves.toEqual(['done', true]);
    await end;
  });

  it('hands on the very error of the promise, and leaves no rejection unhandled that the caller handles', async () => {
    const error = new Error('business');
    await expect(work.run(() => Promise.reject(error))).rejects.toBe(error);
    await work.end();
    await new Promise(setImmediate);
    expect([work.isSettled, unhandled]).toEqual([true, []]);
  });

  it('runs a thenable once, and gives a promise in its place', async () => {
    const query = new LazyQuery(async () => 'row');
    const promise = work.run(() => query);
    expect([promise, work.isSettled]).toEqual([expect.any(Promise), false]);
    // Nest may ask for the result more than once, as whoever waits for it does.
    expect(await Promise.all([promise, promise])).toEqual(['row', 'row']);
    expect([query.runs, work.isSettled]).toEqual([1, true]);
  });

  describe('of a method that returns an Observable', () => {
    it('lasts as long as there are subscriptions', async () => {
      const source = new Watched<number>();
      const stream = work.run(() => source.stream) as Observable<number>;
      expect(work.isSettled).toBe(true);
      const subscriptions = [stream.subscribe(), stream.subscribe()];
      const end = work.end();
      subscriptions[0]!.unsubscribe();
      subscriptions[0]!.unsubscribe();
      expect([work.isSettled, source.subscribers]).toEqual([false, 1]);
      source.complete();
      await end;
      expect(work.isSettled).toBe(true);
    });

    it('has settled before it passes its end on', async () => {
      const seen = new Promise((resolve) =>
        (work.run(() => of(1)) as Observable<number>).subscribe({ complete: () => resolve(work.isSettled) }),
      );
      await expect(seen).resolves.toBe(true);
    });

    it('runs for one call at a time: another stream that is subscribed to meanwhile runs besides', () => {
      const [one, two] = [new Watched<number>(), new Watched<number>()];
      const [first, second] = [one, two].map((source) => work.run(() => source.stream) as Observable<unknown>);
      const subscription = first!.subscribe();
      const seen: unknown[] = [];
      second!.subscribe((value) => seen.push(value));
      expect([seen, one.subscribers, two.subscribers]).toEqual([['besides'], 1, 0]);
      subscription.unsubscribe();
      second!.subscribe();
      expect([one.subscribers, two.subscribers]).toEqual([0, 1]);
    });

    it('lets nobody subscribe when the call is over', async () => {
      const stream = (await work.run(async () => of(1))) as Observable<number>;
      await expect(lastValueFrom(stream)).resolves.toBe(1);
      void work.end();
      await expect(lastValueFrom(stream)).rejects.toThrow('late');
    });
  });
});
