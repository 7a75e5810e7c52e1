import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, Observable, Subject, of, range, take, throwError, toArray, lastValueFrom } from 'rxjs';
import { LockKeyError, ResourceLockedError } from '../../../../lib/engine/errors.js';
import type { WithLockOptions } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import type { LockedRun } from '../../../../lib/with-lock/run/run-locked.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { runOn } from '../../../support/nest/locked-run.js';
import { StubLock } from '../../../support/nest/stub-lock.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { Watched } from '../../../support/nest/watched.js';

const LOCKED = new ResourceLockedError(['a'], 1_500, []);

describe('streamLocked', () => {
  let service: StubService;
  let source: Watched<number>;
  const run = (options?: WithLockOptions, more?: Partial<LockedRun>): LockedRun => runOn(service, options, more);

  beforeEach(() => {
    service = new StubService();
    source = new Watched();
  });

  it('takes no lock before it is subscribed to', async () => {
    const stream = streamLocked(run(), () => of(1));
    expect(service.calls).toEqual([]);
    await expect(lastValueFrom(stream)).resolves.toBe(1);
    expect(service.calls).toHaveLength(1);
  });

  it('is not opened where the lock is over when it comes, and tells of the loss', async () => {
    const over = new StubLock(['a']);
    const lost = over.lose();
    const late = { withLock: async (_names: unknown, work: (lock: StubLock) => unknown) => work(over) };
    const stream = streamLocked({ ...run(), service: late as LockedRun['service'] }, () => source.stream);
    await expect(lastValueFrom(stream)).rejects.toBe(lost);
    expect(source.subscriptions).toBe(0);
  });

  it('takes a lock for every subscription', async () => {
    const stream = streamLocked(run(), (lock) => of(lock));
    expect(await lastValueFrom(stream)).not.toBe(await lastValueFrom(stream));
    expect(service.locks).toHaveLength(2);
  });

  it('holds the lock while values come, and until the stream completes', async () => {
    const seen = new Subject<[unknown, number]>();
    const all = lastValueFrom(seen.pipe(toArray()));
    streamLocked(run(), () => source.stream).subscribe({
      next: (value) => seen.next([value, service.held]),
      complete: () => seen.complete(),
    });
    await source.untilSubscribed();
    for (const value of [1, 2]) source.next(value);
    expect(service.held).toBe(1);
    source.complete();
    await expect(all).resolves.toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect([service.held, source.subscribers]).toEqual([0, 0]);
  });

  it('tells the end only after the lock is free', async () => {
    const heldAt = (stream: Observable<unknown>): Promise<number> =>
      new Promise((resolve) =>
        stream.subscribe({ error: () => resolve(service.held), complete: () => resolve(service.held) }),
      );
    await expect(heldAt(streamLocked(run(), () => of(1)))).resolves.toBe(0);
    await expect(heldAt(streamLocked(run(), () => throwError(() => new Error('business'))))).resolves.toBe(0);
  });

  it('passes all values in their order', async () => {
    await expect(lastValueFrom(streamLocked(run(), () => range(0, 100)).pipe(toArray()))).resolves.toHaveLength(100);
    await expect(
      lastValueFrom(
        streamLocked(run(), () => EMPTY),
        { defaultValue: 'none' },
      ),
    ).resolves.toBe('none');
  });

  it('hands on the very error of the stream, and frees the lock', async () => {
    const toException = (): unknown => new Error('mapped');
    await expect(
      lastValueFrom(streamLocked(run({ onContended: 'skip' }, { toException }), () => throwError(() => LOCKED))),
    ).rejects.toBe(LOCKED);
    const opens = (): never => {
      throw LOCKED;
    };
    await expect(lastValueFrom(streamLocked(run({ onContended: 'skip' }, { toException }), opens))).rejects.toBe(
      LOCKED,
    );
    expect(service.held).toBe(0);
  });

  it('maps the errors of its own lock and key', async () => {
    const reply = new Error('mapped');
    const resources = (): never => {
      throw new LockKeyError('missing');
    };
    await expect(
      lastValueFrom(streamLocked(run({}, { resources, toException: () => reply }), () => NEVER)),
    ).rejects.toBe(reply);
    service.refusal = LOCKED;
    await expect(lastValueFrom(streamLocked(run({}, { toException: () => reply }), () => NEVER))).rejects.toBe(reply);
  });

  it('is empty, and not opened, when the plan skips and another caller holds the lock', async () => {
    service.refusal = LOCKED;
    const skip = run({ onContended: 'skip' });
    await expect(lastValueFrom(streamLocked(skip, () => source.stream).pipe(toArray()))).resolves.toEqual([]);
    expect(source.subscriptions).toBe(0);
  });

  it('gives a request one undefined in that case, since a request wants an answer', async () => {
    service.refusal = LOCKED;
    const skip = run({ onContended: 'skip' }, { toException: (error) => error });
    await expect(lastValueFrom(streamLocked(skip, () => source.stream).pipe(toArray()))).resolves.toEqual([undefined]);
    expect(source.subscriptions).toBe(0);
  });

  it('ends with the loss of the lock, and lets go of the source', async () => {
    const end = lastValueFrom(streamLocked(run(), () => source.stream));
    await source.untilSubscribed();
    const lost = service.locks[0]!.lose();
    await expect(end).rejects.toBe(lost);
    expect([service.held, source.subscribers]).toEqual([0, 0]);
  });

  it('ends where the lock is lost already when the stream is opened', async () => {
    const opening = streamLocked(run(), () => {
      service.locks[0]!.lose();
      return source.stream;
    });
    const lost = await new Promise((resolve) => opening.subscribe({ error: resolve }));
    expect(lost).toMatchObject({ code: 'LOCK_LOST' });
    await service.untilHeld(0);
    expect(source.subscribers).toBe(0);
  }, 5_000);

  it('tells a source that gives everything at once when the subscriber has had enough', async () => {
    const given: number[] = [];
    const greedy = new Observable<number>((subscriber) => {
      for (let value = 0; value < 1_000 && !subscriber.closed; value += 1) {
        given.push(value);
        subscriber.next(value);
      }
    });
    await expect(lastValueFrom(streamLocked(run(), () => greedy).pipe(take(2), toArray()))).resolves.toEqual([0, 1]);
    await service.untilHeld(0);
    expect(given).toEqual([0, 1]);
  });

  describe('when its subscriber leaves', () => {
    const open = (more?: Partial<LockedRun>): Observable<unknown> => streamLocked(run({}, more), () => source.stream);

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
      const subscription = open().subscribe({
        next: told.push,
        error: told.push,
        complete: () => told.push('complete'),
      });
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

      it('does not wait at all if it was aborted before', async () => {
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
});
