import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Observable } from 'rxjs';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import type { LockedRun } from '../../../../lib/with-lock/run/run-alone.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { runOn } from '../../../support/nest/locked-run.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { Watched } from '../../../support/nest/watched.js';

describe('streamLocked, when its subscriber leaves', () => {
  let service: StubService;
  let source: Watched<number>;
  const open = (more?: Partial<LockedRun>): Observable<unknown> =>
    streamLocked(runOn(service, {}, more), () => source.stream);

  beforeEach(() => {
    service = new StubService();
    source = new Watched();
  });

  it('lets go of the source and frees the lock', async () => {
    const subscription = open().subscribe();
    await source.untilSubscribed();
    subscription.unsubscribe();
    await service.untilHeld(0);
    expect(source.subscribers).toBe(0);
  });

  it('stops waiting for the lock', async () => {
    service.turn = new Deferred();
    const subscription = open().subscribe();
    await service.untilWaiting(1);
    subscription.unsubscribe();
    await service.untilWaiting(0);
    expect([service.locks.length, source.subscriptions]).toEqual([0, 0]);
  });

  it('frees a lock that comes all the same, without opening the stream for long', async () => {
    service.notices = false;
    service.turn = new Deferred();
    const subscription = open().subscribe();
    await service.untilWaiting(1);
    subscription.unsubscribe();
    service.turn.resolve();
    await service.until(({ locks, held }) => locks.length === 1 && held === 0);
    expect(source.subscribers).toBe(0);
  }, 5_000);

  it('frees a lock that is there at once, as inside one that is held already', async () => {
    open().subscribe().unsubscribe();
    await service.until(({ locks, held }) => locks.length === 1 && held === 0);
    expect(source.subscribers).toBe(0);
  }, 5_000);

  it('does not pass on an error afterwards', async () => {
    const told: unknown[] = [];
    service.turn = new Deferred();
    const subscription = open().subscribe({ next: told.push, error: told.push, complete: () => told.push('complete') });
    await service.untilWaiting(1);
    subscription.unsubscribe();
    await service.untilWaiting(0);
    expect(told).toEqual([]);
  });

  describe('or when the call is aborted', () => {
    it('stops waiting, with the reason', async () => {
      const client = new AbortController();
      service.turn = new Deferred();
      const end = new Promise((_resolve, reject) => open({ signal: client.signal }).subscribe({ error: reject }));
      await service.untilWaiting(1);
      client.abort(new Error('gone away'));
      await expect(end).rejects.toThrow('gone away');
    });

    it('leaves no listener on its signal, however it ended', async () => {
      const { signal } = new AbortController();
      service.turn = new Deferred();
      const ended = new Promise<void>((resolve) => open({ signal }).subscribe({ complete: resolve }));
      await service.untilWaiting(1);
      expect(getEventListeners(signal, 'abort')).not.toEqual([]);
      service.turn.resolve();
      await source.untilSubscribed();
      source.complete();
      await ended;
      const left = open({ signal }).subscribe();
      left.unsubscribe();
      await service.untilHeld(0);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('does not wait at all where it was aborted before', async () => {
      const signal = AbortSignal.abort(new Error('gone away'));
      service.turn = new Deferred();
      const end = new Promise((_resolve, reject) => open({ signal }).subscribe({ error: reject }));
      await service.untilWaiting(1);
      expect(service.calls[0]!.options.signal?.reason).toBe(signal.reason);
      service.refusal = signal.reason as Error;
      service.turn.resolve();
      await expect(end).rejects.toThrow('gone away');
    });
  });
});
