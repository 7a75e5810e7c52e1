import { beforeEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, toArray } from 'rxjs';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { StubWay } from '../../../support/nest/stub-way.js';

describe('a shared run whose answer an interceptor ends', () => {
  const plan = toPlan('a', { onContended: 'join' }, 'Users.find');
  const timeout = new Error('408');
  let service: StubService;
  let way: StubWay;
  let work: Deferred<string>;
  let ends: Promise<unknown>[];
  const join = (on: StubWay): Promise<unknown> =>
    lastValueFrom(streamLocked({ service, plan, resources: () => ['a'] }, on.open).pipe(toArray())).catch(
      (error: unknown) => error,
    );

  beforeEach(async () => {
    service = new StubService();
    way = new StubWay();
    work = new Deferred();
    ends = [join(way), join(new StubWay())];
    await way.chain.untilSubscribed();
  });

  it.each<[string, () => void, unknown]>([
    ['an error', () => way.chain.error(timeout), timeout],
    ['no value', () => way.chain.complete(), []],
  ])('before the method has settled gives all callers %s at once, and keeps the lock', async (_what, end, outcome) => {
    const result = way.begin(work.promise);
    end();
    expect(await Promise.all(ends)).toEqual([outcome, outcome]);
    expect(service.held).toBe(1);
    work.resolve('done');
    await result;
    await service.untilHeld(0);
  });

  it('lets new callers begin a run of their own then, which asks for the lock', async () => {
    way.begin(work.promise);
    way.chain.error(timeout);
    await Promise.all(ends);
    const next = new StubWay();
    const end = join(next);
    await next.chain.untilSubscribed();
    expect([service.calls.length, service.held]).toEqual([2, 2]);
    next.begin('new');
    next.chain.next('new');
    next.chain.complete();
    expect(await end).toEqual(['new']);
  });

  it('gives the outcome after the release where the method has settled', async () => {
    const seen = Promise.race(ends).then(() => service.held);
    const result = way.begin(work.promise);
    work.resolve('done');
    way.chain.next(await result);
    way.chain.complete();
    expect([await Promise.all(ends), await seen]).toEqual([[['done'], ['done']], 0]);
  });

  it('keeps no lock if the method has not begun: it takes one of its own then', async () => {
    way.chain.error(timeout);
    expect(await Promise.all(ends)).toEqual([timeout, timeout]);
    await service.untilHeld(0);
    expect(way.call.lock).toBeUndefined();
  });

  it('keeps nothing when the lock is lost', async () => {
    way.begin(work.promise);
    const lost = service.locks[0]!.lose();
    expect(await Promise.all(ends)).toEqual([lost, lost]);
    expect(service.held).toBe(0);
  });
});
