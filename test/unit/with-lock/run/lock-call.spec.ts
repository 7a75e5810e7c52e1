import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, NEVER, of, type Observable } from 'rxjs';
import { LockCall } from '../../../../lib/with-lock/run/lock-call.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { StubLock } from '../../../support/nest/stub-lock.js';
import { StubService } from '../../../support/nest/stub-service.js';

describe('LockCall', () => {
  const lock = new StubLock(['a']);
  const run = { plan: toPlan('a', {}, 'here') };

  it('has neither a lock nor a client that could leave once its answer has ended', () => {
    const toException = (error: unknown): unknown => error;
    const client = new EventEmitter();
    const call = new LockCall({ request: {}, lock, run: { ...run, toException, client } });
    expect([call.lock, call.run]).toEqual([lock, { toException, client }]);
    void call.end();
    expect([call.lock, call.run]).toEqual([undefined, { toException }]);
  });

  it('takes another lock for a stream that is subscribed to while another stream of the request runs', async () => {
    const service = new StubService();
    const call = new LockCall({ request: {}, lock, run: { ...run, service, resources: () => ['a'] } });
    const [first, second] = [NEVER, of(1)].map((stream) => call.invokeUnderLock(() => stream, lock));
    const subscription = (first as Observable<never>).subscribe();
    await expect(lastValueFrom(second as Observable<number>)).resolves.toBe(1);
    expect(service.locks).toHaveLength(1);
    subscription.unsubscribe();
    await expect(lastValueFrom(second as Observable<number>)).resolves.toBe(1);
    expect(service.locks).toHaveLength(1);
  });

  it('lets nobody subscribe to the stream of the method once the call is over, as the request wants it', async () => {
    const ours = new StubLock(['a']);
    const toException = (error: unknown): unknown => ({ reply: error });
    const call = new LockCall({ request: {}, lock: ours, run: { ...run, toException } });
    const stream = call.invokeUnderLock(() => of(1), ours) as Observable<number>;
    const refusal = (reason: string) => ({ reply: expect.objectContaining({ code: 'LOCK_LOST', reason }) });
    void call.end();
    await expect(lastValueFrom(stream)).rejects.toEqual(refusal('released'));
    ours.lose();
    await expect(lastValueFrom(stream)).rejects.toEqual(refusal('nodes'));
  });

  it('lets nobody subscribe to the stream of the method once the lock is lost', async () => {
    const call = new LockCall({ request: {}, lock, run });
    const stream = call.invokeUnderLock(() => of(1), lock) as Observable<number>;
    const lost = lock.lose();
    await expect(lastValueFrom(stream)).rejects.toBe(lost);
  });
});
