import 'reflect-metadata';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { isObservable, lastValueFrom, Observable, of, toArray } from 'rxjs';
import { LockKeyError, ResourceLockedError } from '../../../lib/core/api/errors.js';
import type { Lock } from '../../../lib/core/api/lock.js';
import { CurrentLock } from '../../../lib/with-lock/current-lock.decorator.js';
import { LockCall, lockCalls } from '../../../lib/with-lock/run/lock-call.js';
import { planOf } from '../../../lib/with-lock/run/lock-plan.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { bound } from '../../support/nest/bound.js';
import { StubLock } from '../../support/nest/stub-lock.js';
import { StubService } from '../../support/nest/stub-service.js';

class Service {
  saved: unknown[] = [];

  @WithLock('user:<0.id>')
  async save(user: { id: unknown }): Promise<unknown> {
    this.saved.push(user.id);
    return user.id;
  }

  @WithLock('stream:<0>')
  declared(count: number): Observable<number> {
    return of(...Array(count).keys());
  }

  @WithLock('stream:<0>')
  undeclared(count: number) {
    return of(...Array(count).keys());
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
    return 'done';
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

  describe('that is declared to return an Observable', () => {
    it('returns one, which takes the lock when it is subscribed to', async () => {
      const stream = service.declared(3);
      expect(isObservable(stream)).toBe(true);
      expect(locker.calls).toEqual([]);
      await expect(lastValueFrom(stream.pipe(toArray()))).resolves.toEqual([0, 1, 2]);
      expect(locker.calls.map(({ resources }) => resources)).toEqual([['stream:3']]);
    });

    it('fails by the stream, too, where it has no usable key', async () => {
      const stream = service.declared(undefined as unknown as number);
      await expect(lastValueFrom(stream)).rejects.toBeInstanceOf(LockKeyError);
    });
  });

  describe('that returns an Observable without saying so', () => {
    it('promises one whose subscription takes the lock again', async () => {
      const promise = service.undeclared(3) as unknown as Promise<Observable<number>>;
      const stream = await promise;
      expect([locker.calls.length, locker.held]).toEqual([1, 0]);
      await expect(lastValueFrom(stream.pipe(toArray()))).resolves.toEqual([0, 1, 2]);
      expect(locker.calls).toHaveLength(2);
    });
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
    const plan = planOf(Service.prototype.byRequest)!;
    const lock = new StubLock(['user:1']);
    const callOf = (parts: object): LockCall => new LockCall({ plan, request: { body: { id: 1 } }, run: {}, ...parts });

    it('runs under that lock', async () => {
      await expect(lockCalls.run(callOf({ lock }), () => service.byRequest())).resolves.toBe('done');
      expect(locker.calls).toEqual([]);
    });

    it('does not run where that lock is over by then, and answers as the request wants it', async () => {
      const over = new StubLock(['user:1']);
      const lost = over.lose();
      const toException = (error: unknown): unknown => ({ reply: error });
      const call = callOf({ lock: over, run: { toException } });
      expect(() => lockCalls.run(call, () => service.byRequest())).toThrow(expect.objectContaining({ reply: lost }));
      expect(locker.calls).toEqual([]);
    });

    it('locks for itself from the second time on, by the same request', async () => {
      await lockCalls.run(callOf({ lock }), async () => {
        await service.byRequest();
        await service.byRequest();
      });
      expect(locker.calls.map(({ resources }) => resources)).toEqual([['user:1']]);
    });

    it('locks for itself, by the same request, where that has its answer before the method begins', async () => {
      const call = callOf({ lock });
      void call.end();
      await lockCalls.run(call, () => service.byRequest());
      expect(locker.calls.map(({ resources }) => resources)).toEqual([['user:1']]);
    });

    it('locks for itself where the lock is that of another method', async () => {
      const other = planOf(Service.prototype.report)!;
      await lockCalls.run(callOf({ plan: other, lock }), () => service.byRequest());
      expect(locker.calls.map(({ resources }) => resources)).toEqual([['user:1']]);
    });

    it('locks for itself where only its arguments say by which key, and then answers as the request wants it', async () => {
      const reply = new Error('for the client');
      locker.refusal = new ResourceLockedError(['a'], 5, []);
      const call = callOf({ plan: planOf(Service.prototype.save)!, run: { toException: () => reply } });
      await expect(lockCalls.run(call, () => service.save({ id: 5 }))).rejects.toBe(reply);
    });
  });
});
