import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, toArray, type Observer } from 'rxjs';
import { ABORT, type CallOptions } from '../../../../lib/core/api/call-options.js';
import type { Lock } from '../../../../lib/core/api/lock.js';
import { LOCK_FOR } from '../../../../lib/redlock.tokens.js';
import { WaitCancellation } from '../../../../lib/with-lock/transport/wait-cancellation.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { streamLocked } from '../../../../lib/with-lock/run/locked-stream.js';
import { lockFor, runLocked } from '../../../../lib/with-lock/run/run-locked.js';
import { StubLocker } from '../../../support/nest/stub-locker.js';

type Work<T> = (lock: Lock | undefined) => Promise<T>;

/** As the service is one. */
class RealLocker extends StubLocker {
  readonly asked: CallOptions[] = [];

  [LOCK_FOR]<T>(resources: readonly string[], work: Work<T>, call: CallOptions): Promise<T> {
    this.asked.push(call);
    return this.withLock(resources, work);
  }
}

describe('lockFor', () => {
  const plan = toPlan('a', { ttl: 700 }, 'here');
  const signalOf = (cancellation: WaitCancellation): unknown => cancellation.signal;

  it('gives a double ordinary options, with a signal', async () => {
    const locker = new StubLocker();
    const cancellation = new WaitCancellation();
    await lockFor(locker, {
      resources: ['a'],
      work: async () => 1,
      call: { shared: plan.options, [ABORT]: cancellation },
    });
    expect(locker.calls).toEqual([{ resources: ['a'], options: { ttl: 700, signal: signalOf(cancellation) } }]);
    expect(locker.calls[0]!.options.signal).toBeInstanceOf(AbortSignal);
  });

  it('gives a real one the very options that all calls share', async () => {
    const locker = new RealLocker();
    const cancellation = new WaitCancellation();
    const run = { locker, plan, resources: () => ['a'], signal: cancellation };
    await expect(runLocked(run, () => 'done')).resolves.toBe('done');
    await lastValueFrom(
      streamLocked(run, () => ({ subscribe: complete })),
      { defaultValue: undefined },
    );
    expect(locker.asked.map(({ shared }) => shared)).toEqual([plan.options, plan.options]);
    expect(locker.asked.every(({ shared }) => shared === plan.options)).toBe(true);
    expect(locker.asked[0]![ABORT]).toBe(cancellation);
  });
});

describe('streamLocked, of what is no Observable', () => {
  const plan = toPlan('a', {}, 'here');

  it('passes on what it gives, until somebody has had enough', async () => {
    const locker = new StubLocker();
    const given: Partial<Observer<string>>[] = [];
    let stopped = 0;
    const subscribe = (observer: Partial<Observer<string>>): { unsubscribe(): void } => {
      given.push(observer);
      return { unsubscribe: () => (stopped += 1) };
    };
    const stream = streamLocked({ locker, plan, resources: () => ['a'] }, () => ({ subscribe }));
    const values: unknown[] = [];
    const subscription = stream.subscribe((value) => values.push(value));
    await locker.untilHeld(1);
    given[0]!.next!('one');
    expect([values, stopped]).toEqual([['one'], 0]);
    subscription.unsubscribe();
    await locker.untilHeld(0);
    expect([values, stopped]).toEqual([['one'], 1]);
    expect(getEventListeners(locker.locks[0]!.signal, 'abort')).toEqual([]);
  });

  it('stops it where the lock is lost', async () => {
    const locker = new StubLocker();
    let stopped = 0;
    const source = { subscribe: () => ({ unsubscribe: () => (stopped += 1) }) };
    const end = lastValueFrom(streamLocked({ locker, plan, resources: () => ['a'] }, () => source).pipe(toArray()));
    await locker.untilHeld(1);
    const lost = locker.locks[0]!.lose();
    await expect(end).rejects.toBe(lost);
    expect(stopped).toBe(1);
  });
});

function complete(observer: Partial<Observer<unknown>>): { unsubscribe(): void } {
  queueMicrotask(() => observer.complete!());
  return { unsubscribe: () => undefined };
}
