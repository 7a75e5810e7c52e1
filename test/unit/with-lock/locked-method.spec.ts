import 'reflect-metadata';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Observable } from 'rxjs';
import { LockKeyError, ResourceLockedError } from '../../../lib/engine/errors.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { CurrentLock } from '../../../lib/with-lock/current-lock.decorator.js';
import { LockCall, lockCalls } from '../../../lib/with-lock/run/lock-call.js';
import type { LockedRun } from '../../../lib/with-lock/run/run-locked.js';
import { planOf } from '../../../lib/with-lock/run/lock-plan.js';
import { WaitCancellation } from '../../../lib/with-lock/transport/wait-cancellation.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from '../../support/nest/bound.js';
import { Deferred } from '../../support/nest/deferred.js';
import { StubLock } from '../../support/nest/stub-lock.js';
import { StubService } from '../../support/nest/stub-service.js';
import { Watched } from '../../support/nest/watched.js';

class Service {
  saved: unknown[] = [];
  work: Deferred<string> | undefined;
  inner: (() => Promise<void>) | undefined;
  readonly values = new Watched<number>();

  @WithLock('user:<0.id>')
  async save(user: { id: unknown }): Promise<unknown> {
    this.saved.push(user.id);
    const { inner } = this;
    this.inner = undefined;
    await inner?.();
    return user.id;
  }

  @WithLock('report', { onContended: 'skip' })
  async report(): Promise<string> {
    return 'done';
  }

  @WithLock('order:<0>')
  async pay(_id: number, @CurrentLock() lock?: Lock): Promise<Lock | undefined> {
    return lock;
  }

  @WithLock('user:<body.id>')
  async byRequest(): Promise<string> {
    return this.work ? this.work.promise : 'done';
  }

  @WithLock('user:<body.id>')
  stream(): Observable<number> {
    return this.values.stream;
  }
}

describe('a locked method', () => {
  let locker: StubService;
  let service: Service;

  beforeEach(() => {
    locker = new StubService();
    service = bound(new Service(), locker);
  });

  it('takes its lock by its arguments', async () => {
    await expect(service.save({ id: 5 })).resolves.toBe(5);
    expect(locker.calls.map(({ resources }) => resources)).toEqual([['user:5']]);
  });

  it('does not run without a usable key', async () => {
    await expect(service.save({ id: undefined })).rejects.toBeInstanceOf(LockKeyError);
    await expect(service.byRequest()).rejects.toBeInstanceOf(TypeError);
    expect([locker.calls, service.saved]).toEqual([[], []]);
  });

  it('hands on what the lock says where it cannot be had, and undefined where it skips', async () => {
    locker.refusal = new ResourceLockedError(['a'], 5, []);
    await expect(service.save({ id: 5 })).rejects.toBe(locker.refusal);
    await expect(service.report()).resolves.toBeUndefined();
  });

  describe('with @CurrentLock', () => {
    it('gets the lock of this call', async () => {
      const lock = await service.pay(7);
      expect(lock).toBe(locker.locks[0]);
      expect(lock?.resources).toEqual(['order:7']);
    });

    it('keeps what its caller gives in that place', async () => {
      const own = new StubLock(['own']);
      await expect(service.pay(7, own)).resolves.toBe(own);
    });

    it.each([new AbortController().signal, () => undefined, null, 'token'])(
      'gets it also where its caller has something else for that place: %p',
      async (other) => {
        const lock = await service.pay(7, other as unknown as Lock);
        expect(lock).toBe(locker.locks[0]);
      },
    );
  });

  describe('reached by a request that was locked on the way', () => {
    const lock = new StubLock(['user:1']);
    const callOf = (parts: object = {}, run: Partial<LockedRun> = {}): LockCall =>
      new LockCall({
        request: { body: { id: 1 } },
        run: { plan: planOf(Service.prototype.byRequest)!, owner: Service, ...run },
        ...parts,
      });
    const resources = (): unknown => locker.calls.map((call) => call.resources);

    it('runs under that lock', async () => {
      await expect(lockCalls.run(callOf({ lock }), () => service.byRequest())).resolves.toBe('done');
      expect(locker.calls).toEqual([]);
    });

    it('does not run where that lock is over by then, and answers as the request wants it', async () => {
      const over = new StubLock(['user:1']);
      const lost = over.lose();
      const call = callOf({ lock: over }, { toException: (error) => ({ reply: error }) });
      expect(() => lockCalls.run(call, () => service.byRequest())).toThrow(expect.objectContaining({ reply: lost }));
      expect(locker.calls).toEqual([]);
    });

    it('runs under it again as soon as a call has settled: an interceptor may have been the first to call', async () => {
      await lockCalls.run(callOf({ lock }), async () => {
        await service.byRequest();
        await service.byRequest();
      });
      expect(locker.calls).toEqual([]);
    });

    it('locks for itself, by the same request, while another call runs under that lock', async () => {
      const work = (service.work = new Deferred<string>());
      const [first, second] = lockCalls.run(callOf({ lock }), () => [service.byRequest(), service.byRequest()]);
      expect(resources()).toEqual([['user:1']]);
      work.resolve('done');
      await expect(Promise.all([first, second])).resolves.toEqual(['done', 'done']);
    });

    it('locks a second Observable for itself while somebody listens to the first one', async () => {
      const call = callOf(
        { lock },
        { plan: planOf(Service.prototype.stream)!, service: locker, resources: () => ['a'] },
      );
      const [first, second] = lockCalls.run(call, () => [service.stream(), service.stream()] as const);
      const subscriptions = [first.subscribe(), second.subscribe()];
      await locker.untilHeld(1);
      await service.values.untilSubscribed();
      expect([resources(), service.values.subscribers]).toEqual([[['a']], 2]);
      for (const subscription of subscriptions) subscription.unsubscribe();
      await locker.untilHeld(0);
    });

    it('locks for itself, by the same request, where that has its answer before the method begins', async () => {
      const call = callOf({ lock });
      void call.end();
      await lockCalls.run(call, () => service.byRequest());
      expect(resources()).toEqual([['user:1']]);
    });

    it.each([
      ['the lock is that of another method', { plan: planOf(Service.prototype.report)! }],
      ['the request is for another class that has the method', { owner: class Other {} }],
    ])('locks for itself where %s', async (_case, run) => {
      await lockCalls.run(callOf({ lock }, run), () => service.byRequest());
      expect(resources()).toEqual([['user:1']]);
    });

    describe('where only its arguments say by which key', () => {
      const reply = new Error('for the client');
      const byArguments = (run: Partial<LockedRun> = {}): LockCall =>
        callOf({}, { plan: planOf(Service.prototype.save)!, toException: () => reply, ...run });

      it('locks for itself, and answers as the request wants it, with every call', async () => {
        locker.refusal = new ResourceLockedError(['a'], 5, []);
        await lockCalls.run(byArguments(), async () => {
          await expect(service.save({ id: 5 })).rejects.toBe(reply);
          await expect(service.save({ id: 6 })).rejects.toBe(reply);
        });
        expect(resources()).toEqual([['user:5'], ['user:6']]);
      });

      it('stops waiting with every call when the client leaves', async () => {
        const left = new WaitCancellation();
        await lockCalls.run(byArguments({ signal: left, toException: undefined }), async () => {
          await service.save({ id: 5 });
          locker.turn = new Deferred();
          const second = service.save({ id: 6 });
          await locker.untilWaiting(1);
          left.cancel();
          await expect(second).rejects.toMatchObject({ status: 499 });
        });
      });

      it('hands the error of a call of its own to the method as it is', async () => {
        service.inner = async () => {
          locker.refusal = new ResourceLockedError(['a'], 5, []);
          await expect(service.save({ id: 6 })).rejects.toBe(locker.refusal);
        };
        await lockCalls.run(byArguments(), () => service.save({ id: 5 }));
        expect(resources()).toEqual([['user:5'], ['user:6']]);
      });
    });
  });
});
