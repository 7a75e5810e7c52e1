import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, type Observer, toArray } from 'rxjs';
import type { PreparedCall } from '../../../../lib/engine/redlock.js';
import { WITH_PREPARED } from '../../../../lib/redlock.tokens.js';
import { WaitCancellation } from '../../../../lib/with-lock/transport/wait-cancellation.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { withLockOf, runLocked } from '../../../../lib/with-lock/run/run-locked.js';
import { StubService } from '../../../support/nest/stub-service.js';

/** As the service is one. */
class RealService extends StubService {
  readonly asked: PreparedCall<never>[] = [];
  readonly [WITH_PREPARED] = <T>(call: PreparedCall<T>): Promise<T> => {
    this.asked.push(call as PreparedCall<never>);
    return this.withLock(call.resources, call.work as (lock: unknown) => Promise<T>);
  };
}

describe('withLockOf', () => {
  const plan = toPlan('a', { ttl: 700 }, 'here');
  const signalOf = (cancellation: WaitCancellation): unknown => cancellation.signal;

  it('gives a double ordinary options, with a signal', async () => {
    const service = new StubService();
    const cancellation = new WaitCancellation();
    await withLockOf(service, {
      resources: ['a'],
      work: async () => 1,
      options: plan.options,
      signal: cancellation,
      skips: false,
    });
    expect(service.calls).toEqual([
      { resources: ['a'], options: { ttl: 700, label: 'a', signal: signalOf(cancellation) } },
    ]);
    expect(service.calls[0]!.options.signal).toBeInstanceOf(AbortSignal);
  });

  it('gives a real one the very options that all calls share', async () => {
    const service = new RealService();
    const cancellation = new WaitCancellation();
    const run = { service, plan, resources: () => ['a'], signal: cancellation };
    await expect(runLocked(run, () => 'done')).resolves.toBe('done');
    await lastValueFrom(
      streamLocked(run, () => ({ subscribe: complete })),
      { defaultValue: undefined },
    );
    expect(service.asked.map(({ options }) => options)).toEqual([plan.options, plan.options]);
    expect(service.asked.every(({ options }) => options === plan.options)).toBe(true);
    expect(service.asked[0]!.signal).toBe(cancellation);
  });
});

describe('streamLocked, of what is no Observable', () => {
  const plan = toPlan('a', {}, 'here');

  it('passes on its values until the subscriber has had enough', async () => {
    const service = new StubService();
    const given: Partial<Observer<string>>[] = [];
    let stopped = 0;
    const subscribe = (observer: Partial<Observer<string>>): { unsubscribe(): void } => {
      given.push(observer);
      return { unsubscribe: () => (stopped += 1) };
    };
    const stream = streamLocked({ service, plan, resources: () => ['a'] }, () => ({ subscribe }));
    const values: unknown[] = [];
    const subscription = stream.subscribe((value) => values.push(value));
    await service.untilHeld(1);
    given[0]!.next!('one');
    expect([values, stopped]).toEqual([['one'], 0]);
    subscription.unsubscribe();
    await service.untilHeld(0);
    expect([values, stopped]).toEqual([['one'], 1]);
    expect(getEventListeners(service.locks[0]!.signal, 'abort')).toEqual([]);
  });

  it('stops it where the lock is lost', async () => {
    const service = new StubService();
    let stopped = 0;
    const source = { subscribe: () => ({ unsubscribe: () => (stopped += 1) }) };
    const end = lastValueFrom(streamLocked({ service, plan, resources: () => ['a'] }, () => source).pipe(toArray()));
    await service.untilHeld(1);
    const lost = service.locks[0]!.lose();
    await expect(end).rejects.toBe(lost);
    expect(stopped).toBe(1);
  });
});

function complete(observer: Partial<Observer<unknown>>): { unsubscribe(): void } {
  queueMicrotask(() => observer.complete!());
  return { unsubscribe: () => undefined };
}
