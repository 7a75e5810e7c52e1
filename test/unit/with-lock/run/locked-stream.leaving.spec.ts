import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Observable } from 'rxjs';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import type { LockedRun } from '../../../../lib/with-lock/run/locker.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { StubLocker } from '../../../support/nest/stub-locker.js';
import { Watched } from '../../../support/nest/watched.js';

describe('streamLocked, when its subscriber leaves', () => {
  let locker: StubLocker;
  let source: Watched<number>;
  const open = (more: Partial<LockedRun> = {}): Observable<unknown> =>
    streamLocked({ locker, plan: toPlan('a', {}, 'here'), resources: () => ['a'], ...more }, () => source.stream);

  beforeEach(() => {
    locker = new StubLocker();
    source = new Watched();
  });

  it('lets go of the source and frees the lock', async () => {
    const subscription = open().subscribe();
    await source.untilSubscribed();
    subscription.unsubscribe();
    await locker.untilHeld(0);
    expect(source.subscribers).toBe(0);
  });

  it('stops waiting for the lock', async () => {
    locker.turn = new Deferred();
    const subscription = open().subscribe();
    await locker.untilWaiting(1);
    subscription.unsubscribe();
    await locker.untilWaiting(0);
    expect([locker.locks.length, source.subscriptions]).toEqual([0, 0]);
  });

  it('frees a lock that comes all the same, without opening the stream for long', async () => {
    locker.notices = false;
    locker.turn = new Deferred();
    const subscription = open().subscribe();
    await locker.untilWaiting(1);
    subscription.unsubscribe();
    locker.turn.resolve();
    await locker.until(({ locks, held }) => locks.length === 1 && held === 0);
    expect(source.subscribers).toBe(0);
  }, 5_000);

  it('frees a lock that is there at once, as inside one that is held already', async () => {
    open().subscribe().unsubscribe();
    await locker.until(({ locks, held }) => locks.length === 1 && held === 0);
    expect(source.subscribers).toBe(0);
  }, 5_000);

  it('tells nobody of an error any more', async () => {
    const told: unknown[] = [];
    locker.turn = new Deferred();
    const subscription = open().subscribe({ next: told.push, error: told.push, complete: () => told.push('complete') });
    await locker.untilWaiting(1);
    subscription.unsubscribe();
    await locker.untilWaiting(0);
    expect(told).toEqual([]);
  });

  describe('or when the call is aborted', () => {
    it('stops waiting, with the reason', async () => {
      const client = new AbortController();
      locker.turn = new Deferred();
      const end = new Promise((_resolve, reject) => open({ signal: client.signal }).subscribe({ error: reject }));
      await locker.untilWaiting(1);
      client.abort(new Error('gone away'));
      await expect(end).rejects.toThrow('gone away');
    });

    it('leaves no listener on its signal, however it ended', async () => {
      const { signal } = new AbortController();
      locker.turn = new Deferred();
      const ended = new Promise<void>((resolve) => open({ signal }).subscribe({ complete: resolve }));
      await locker.untilWaiting(1);
      expect(getEventListeners(signal, 'abort')).not.toEqual([]);
      locker.turn.resolve();
      await source.untilSubscribed();
      source.complete();
      await ended;
      const left = open({ signal }).subscribe();
      left.unsubscribe();
      await locker.untilHeld(0);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('does not wait at all where it was aborted before', async () => {
      const signal = AbortSignal.abort(new Error('gone away'));
      locker.turn = new Deferred();
      const end = new Promise((_resolve, reject) => open({ signal }).subscribe({ error: reject }));
      await locker.untilWaiting(1);
      expect(locker.calls[0]!.options.signal?.reason).toBe(signal.reason);
      locker.refusal = signal.reason as Error;
      locker.turn.resolve();
      await expect(end).rejects.toThrow('gone away');
    });
  });
});
