import { beforeEach, describe, expect, it } from '@jest/globals';
import { of, type Observable } from 'rxjs';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { LazyQuery } from '../../../support/nest/lazy-query.js';
import { runOn } from '../../../support/nest/locked-run.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { StubWay } from '../../../support/nest/stub-way.js';
import { Watched } from '../../../support/nest/watched.js';

describe('streamLocked, when an interceptor ends the answer', () => {
  const timeout = new Error('408');
  let service: StubService;
  let way: StubWay;
  let work: Deferred<string>;
  /** Resolves with how the answer ended, and how many locks were held then. */
  let ended: Promise<unknown[]>;

  beforeEach(async () => {
    service = new StubService();
    way = new StubWay();
    work = new Deferred();
    ended = new Promise((resolve) =>
      streamLocked(runOn(service), way.open).subscribe({
        error: (error) => resolve([error, service.held]),
        complete: () => resolve(['complete', service.held]),
      }),
    );
    await way.chain.untilSubscribed();
  });

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

  it.each(['error', 'complete'] as const)('passes that on after the release where it has settled: %s', async (how) => {
    const result = way.begin(work.promise);
    work.resolve('done');
    await result;
    way.chain[how](timeout);
    expect(await ended).toEqual([how === 'error' ? timeout : 'complete', 0]);
  });

  it.each(['error', 'complete'] as const)('keeps no lock where the method has not begun: %s', async (how) => {
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
