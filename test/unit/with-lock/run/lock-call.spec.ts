import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { LockCall, lockCalls } from '../../../../lib/with-lock/run/lock-call.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { StubLock } from '../../../support/nest/stub-lock.js';

const plan = toPlan('a', {}, 'here');
const other = toPlan('a', {}, 'there');

describe('LockCall', () => {
  it('is for the method with its plan only', () => {
    const call = new LockCall({ plan, request: {}, run: {} });
    expect([call.isFor(plan), call.isFor(other)]).toEqual([true, false]);
    expect(call.enter(other)).toBe(false);
    expect(call.isFor(plan)).toBe(true);
  });

  it('is entered once: what the method itself calls locks for itself', () => {
    const call = new LockCall({ plan, request: {}, run: {} });
    expect([call.enter(plan), call.enter(plan), call.isFor(plan)]).toEqual([true, false, false]);
  });

  it('is found by what runs in its context, and by nothing else', async () => {
    const call = new LockCall({ plan, request: {}, run: {} });
    const found = lockCalls.run(call, async () => {
      await Promise.resolve();
      return lockCalls.getStore();
    });
    expect(lockCalls.getStore()).toBeUndefined();
    expect(await found).toBe(call);
  });

  describe('whose answer has ended', () => {
    const lock = new StubLock(['a']);
    const toException = (error: unknown): unknown => ({ reply: error });
    const client = new EventEmitter();
    let call: LockCall;

    beforeEach(() => {
      call = new LockCall({ plan, request: {}, lock, run: { toException, client } });
    });

    it('has no lock for a method that begins later, and no client that could leave it', () => {
      expect([call.lock, call.run]).toEqual([lock, { toException, client }]);
      void call.end();
      expect([call.lock, call.run]).toEqual([undefined, { toException }]);
    });

    it('refuses a stream that is subscribed to later, as the request wants it', async () => {
      const stream = call.work(() => of(1), lock) as Observable<number>;
      void call.end();
      await expect(lastValueFrom(stream)).rejects.toEqual({ reply: expect.objectContaining({ code: 'LOCK_LOST' }) });
    });
  });

  it('lets nobody subscribe to the stream of the method once the lock is lost', async () => {
    const lock = new StubLock(['a']);
    const call = new LockCall({ plan, request: {}, lock, run: {} });
    const stream = call.work(() => of(1), lock) as Observable<number>;
    const lost = lock.lose();
    await expect(lastValueFrom(stream)).rejects.toBe(lost);
  });

  it('does not begin the method where nobody listens any more', () => {
    const lock = new StubLock(['a']);
    const call = new LockCall({ plan, request: {}, lock, run: {} });
    call.abandon(() => undefined);
    expect(() => call.work(() => 'done', lock)).toThrow(expect.objectContaining({ status: 499 }));
  });
});
