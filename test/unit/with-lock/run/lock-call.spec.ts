import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, NEVER, of, type Observable } from 'rxjs';
import { LockCall, lockCalls } from '../../../../lib/with-lock/run/lock-call.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { Deferred } from '../../../support/nest/deferred.js';
import { StubLock } from '../../../support/nest/stub-lock.js';

const plan = toPlan('a', {}, 'here');
const other = toPlan('a', {}, 'there');

class Users {}
class Orders {}

const users = new Users();
const run = { plan, owner: Users };

describe('LockCall', () => {
  it('belongs to one invocation, and not to another one of the same handler', () => {
    const context = (): ExecutionContextHost => new ExecutionContextHost([{}, {}], Users, () => undefined);
    const [mine, inner] = [context(), context()];
    const call = new LockCall({ context: mine, request: {}, run });
    expect([call.isOf(mine), call.isOf(inner)]).toEqual([true, false]);
    expect(new LockCall({ request: {}, run }).isOf(inner)).toBe(false);
  });

  it('admits calls of its handler only', () => {
    const call = new LockCall({ request: {}, run });
    expect([call.admits(plan, users), call.admits(other, users)]).toEqual([true, false]);
    expect([call.admits(plan, new Orders()), call.admits(plan, undefined)]).toEqual([false, false]);
    expect(new LockCall({ request: {}, run: {} }).admits(plan, users)).toBe(false);
  });

  it('admits no call while another one runs, and the next one when that has settled', async () => {
    const lock = new StubLock(['a']);
    const call = new LockCall({ request: {}, lock, run });
    const result = new Deferred();
    const promise = call.invokeUnderLock(() => result.promise, lock);
    expect(call.admits(plan, users)).toBe(false);
    result.resolve();
    await promise;
    expect(call.admits(plan, users)).toBe(true);
    const subscription = (call.invokeUnderLock(() => NEVER, lock) as Observable<never>).subscribe();
    expect(call.admits(plan, users)).toBe(false);
    subscription.unsubscribe();
    expect(call.admits(plan, users)).toBe(true);
  });

  it('notes the calls that have locks of their own, too', async () => {
    const call = new LockCall({ request: {}, run });
    const result = new Deferred();
    const promise = call.invokeTracked(() => result.promise, new StubLock(['a']));
    expect(call.admits(plan, users)).toBe(false);
    result.resolve();
    await promise;
    expect(call.admits(plan, users)).toBe(true);
  });

  it('is found by what runs in its context, and by nothing else', async () => {
    const call = new LockCall({ request: {}, run });
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
      call = new LockCall({ request: {}, lock, run: { ...run, toException, client } });
    });

    it('has no lock for a method that begins later, and no client that could leave it', () => {
      expect([call.lock, call.run]).toEqual([lock, { toException, client }]);
      void call.end();
      expect([call.lock, call.run]).toEqual([undefined, { toException }]);
    });

    it('refuses a stream that is subscribed to later, as the request wants it', async () => {
      const stream = call.invokeUnderLock(() => of(1), lock) as Observable<number>;
      void call.end();
      await expect(lastValueFrom(stream)).rejects.toEqual({ reply: expect.objectContaining({ code: 'LOCK_LOST' }) });
    });
  });

  it('lets nobody subscribe to the stream of the method once the lock is lost', async () => {
    const lock = new StubLock(['a']);
    const call = new LockCall({ request: {}, lock, run });
    const stream = call.invokeUnderLock(() => of(1), lock) as Observable<number>;
    const lost = lock.lose();
    await expect(lastValueFrom(stream)).rejects.toBe(lost);
  });

  it('does not begin the method where nobody listens any more', () => {
    const lock = new StubLock(['a']);
    const call = new LockCall({ request: {}, lock, run });
    call.abandon(() => undefined);
    expect(() => call.invokeUnderLock(() => 'done', lock)).toThrow(expect.objectContaining({ status: 499 }));
  });
});
