import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { LockCall } from '../../../../lib/with-lock/run/lock-call.js';
import { toPlan } from '../../../../lib/with-lock/run/lock-plan.js';
import { StubLock } from '../../../support/nest/stub-lock.js';

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

  it('lets nobody subscribe to the stream of the method once the lock is lost', async () => {
    const call = new LockCall({ request: {}, lock, run });
    const stream = call.invokeUnderLock(() => of(1), lock) as Observable<number>;
    const lost = lock.lose();
    await expect(lastValueFrom(stream)).rejects.toBe(lost);
  });
});
