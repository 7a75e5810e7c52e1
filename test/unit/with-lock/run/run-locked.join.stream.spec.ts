import { beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY, lastValueFrom, NEVER, of, throwError, toArray, type Observable } from 'rxjs';
import { ResourceLockedError } from '../../../../lib/engine/errors.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import type { LockedRun } from '../../../../lib/with-lock/run/run-locked.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { StubService } from '../../../support/nest/stub-service.js';
import { Watched } from '../../../support/nest/watched.js';

const all = <T>(stream: Observable<T>): Promise<T[]> => lastValueFrom(stream.pipe(toArray()));

describe('streamLocked with onContended: join', () => {
  const plan = toPlan('a', { onContended: 'join' }, 'Users.find');
  let service: StubService;
  let source: Watched<object>;
  const run = (more: Partial<LockedRun> = {}): LockedRun => ({ service, plan, resources: () => ['a'], ...more });
  const stream = (more?: Partial<LockedRun>): Observable<unknown> => streamLocked(run(more), () => source.stream);

  beforeEach(() => {
    service = new StubService();
    source = new Watched();
  });

  it('shares the one value of the stream, once it is over', async () => {
    const ends = [all(stream()), all(stream())];
    await source.untilSubscribed();
    const value = {};
    source.next(value);
    source.complete();
    for (const values of await Promise.all(ends)) {
      expect(values).toHaveLength(1);
      expect(values[0]).toBe(value);
    }
    expect([source.subscriptions, service.calls.length, service.held]).toEqual([1, 1, 0]);
  });

  it('shares that there is none, and the error', async () => {
    await expect(Promise.all([0, 1].map(() => all(streamLocked(run(), () => EMPTY))))).resolves.toEqual([[], []]);
    const error = new Error('business');
    for (const end of [0, 1].map(() => all(streamLocked(run(), () => throwError(() => error))))) {
      await expect(end).rejects.toBe(error);
    }
    expect(service.calls).toHaveLength(2);
  });

  it('takes the lock for every subscription that comes after the end', async () => {
    const one = streamLocked(run(), (lock) => of(lock));
    expect(await lastValueFrom(one)).not.toBe(await lastValueFrom(one));
  });

  it('refuses a second value, and lets go of the stream and the lock', async () => {
    const ends = [all(stream()), all(stream())].map((end) =>
      expect(end).rejects.toThrow(/^Users\.find: onContended 'join' shares one outcome.*second value/),
    );
    await source.untilSubscribed();
    source.next({});
    source.next({});
    await Promise.all(ends);
    expect([source.subscribers, service.held]).toEqual([0, 0]);
  });

  it.each([0, 1])('goes on where a subscriber leaves: number %i', async (who) => {
    const values: unknown[][] = [[], []];
    const end = new Deferred();
    const subscriptions = values.map((list) =>
      stream().subscribe({ next: (value) => list.push(value), complete: () => end.resolve() }),
    );
    await source.untilSubscribed();
    subscriptions[who]!.unsubscribe();
    source.next({});
    source.complete();
    await end.promise;
    expect(values.map(({ length }) => length)).toEqual(who === 0 ? [0, 1] : [1, 0]);
  });

  it('stops waiting for the lock once all have left', async () => {
    service.turn = new Deferred();
    const subscriptions = [stream().subscribe(), stream().subscribe()];
    await service.untilWaiting(1);
    subscriptions[0]!.unsubscribe();
    expect(service.waiting).toBe(1);
    subscriptions[1]!.unsubscribe();
    await service.untilWaiting(0);
    expect([service.calls.length, source.subscriptions]).toEqual([1, 0]);
  });

  it('is not opened without a subscriber when the lock comes too late for the wait to be given up', async () => {
    service.turn = new Deferred();
    service.notices = false;
    const subscription = stream().subscribe();
    await service.untilWaiting(1);
    subscription.unsubscribe();
    service.turn.resolve();
    await service.until(({ locks, held }) => locks.length === 1 && held === 0);
    expect(source.subscribers).toBe(0);
  });

  it('ends for all with the loss of the lock', async () => {
    const ends = [0, 1].map(() => all(streamLocked(run(), () => NEVER)));
    await service.untilHeld(1);
    const lost = service.locks[0]!.lose();
    for (const end of ends) await expect(end).rejects.toBe(lost);
  });

  it('answers each in its own way where the lock cannot be had', async () => {
    service.refusal = new ResourceLockedError(['a'], 5, []);
    const replies = [new Error('one'), new Error('other')];
    const ends = replies.map((reply) => all(stream({ toException: () => reply })));
    for (const [index, end] of ends.entries()) await expect(end).rejects.toBe(replies[index]);
  });
});
