import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { defer, delay, lastValueFrom, NEVER, of, switchMap, throwError, type Observable } from 'rxjs';
import { LockKeyError, ResourceLockedError } from '../../../lib/engine/errors.js';
import { lockCalls } from '../../../lib/with-lock/run/lock-call.js';
import { interceptorFor, RedlockInterceptor } from '../../../lib/with-lock/redlock.interceptor.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { Deferred } from '../../support/nest/deferred.js';
import { StubService } from '../../support/nest/stub-service.js';

class Users {
  @WithLock('user:<body.email>')
  async create(): Promise<void> {}

  @WithLock('user:<0.email>')
  async byArguments(_user?: { email: string }): Promise<void> {}

  unlocked(): void {}
}

class Response extends EventEmitter {
  readonly headers: Record<string, string> = {};

  header(name: string, value: string): void {
    this.headers[name] = value;
  }
}

describe('RedlockInterceptor', () => {
  let service: StubService;
  let response: Response;
  const { create, byArguments, unlocked } = Users.prototype;

  function contextOf(handler: () => unknown, type: string): ExecutionContextHost {
    const context = new ExecutionContextHost([{ body: { email: 'a@b' } }, response], Users, handler);
    context.setType(type);
    return context;
  }

  function intercept(handler: () => unknown, handle: () => Observable<unknown>, type = 'http'): Observable<unknown> {
    return new RedlockInterceptor(service).intercept(contextOf(handler, type), { handle });
  }

  beforeEach(() => {
    service = new StubService();
    response = new Response();
  });

  it('takes the lock by the request, and lets the handler know it', async () => {
    const stream = intercept(create, () => of(lockCalls.getStore()?.lock));
    expect(service.calls).toEqual([]);
    const lock = await lastValueFrom(stream);
    expect(lock).toBe(service.locks[0]);
    expect(service.calls[0]!.resources).toEqual(['user:a@b']);
    expect(service.held).toBe(0);
  });

  it('lets the handler know it also where that is called only once the answer is awaited', async () => {
    const late = defer(async () => lockCalls.getStore()?.lock);
    const lock = await lastValueFrom(
      intercept(create, () =>
        of(0).pipe(
          delay(0),
          switchMap(() => late),
        ),
      ),
    );
    expect([lock, lockCalls.getStore()]).toEqual([service.locks[0], undefined]);
  });

  it('leaves the lock to the method where only its arguments say by which key, and lets it know the request', async () => {
    const call = await lastValueFrom(intercept(byArguments, () => of(lockCalls.getStore())));
    expect(call).toMatchObject({ request: { body: { email: 'a@b' } }, lock: undefined });
    expect(service.calls).toEqual([]);
  });

  it.each([
    ['a handler without a lock', unlocked, 'http'],
    ['a kind of handler that nobody knows', create, 'telegram'],
  ])('does nothing for %s', async (_case, handler, type) => {
    await expect(lastValueFrom(intercept(handler, () => of(lockCalls.getStore()), type))).resolves.toBeUndefined();
    expect([service.calls.length, response.listenerCount('close')]).toEqual([0, 0]);
  });

  it('takes one lock where it stands twice before a handler', async () => {
    const context = contextOf(create, 'http');
    const interceptor = new RedlockInterceptor(service);
    const handle = (): Observable<unknown> => interceptor.intercept(context, { handle: () => of('done') });
    await expect(lastValueFrom(interceptor.intercept(context, { handle }))).resolves.toBe('done');
    expect(service.locks).toHaveLength(1);
  });

  it('answers in terms of HTTP where the lock cannot be had', async () => {
    service.refusal = new ResourceLockedError(['user:a@b'], 1_500, []);
    await expect(lastValueFrom(intercept(create, () => NEVER))).rejects.toBeInstanceOf(HttpException);
    expect(response.headers).toEqual({ 'Retry-After': '2' });
  });

  it('hands on the errors of the handler, also those of inner locks', async () => {
    const error = new LockKeyError('inner');
    await expect(lastValueFrom(intercept(create, () => throwError(() => error)))).rejects.toBe(error);
  });

  it('stops waiting when the client goes away', async () => {
    service.turn = new Deferred();
    const end = lastValueFrom(intercept(create, () => of('never')));
    await service.untilWaiting(1);
    response.emit('close');
    await expect(end).rejects.toMatchObject({ status: 499 });
    expect(response.listenerCount('close')).toBe(0);
  });

  it('lets the handler finish when the client goes away while it runs', async () => {
    const work = new Deferred<string>();
    const end = lastValueFrom(intercept(create, () => defer(() => work.promise)));
    await service.untilHeld(1);
    response.emit('close');
    work.resolve('done');
    await expect(end).resolves.toBe('done');
  });

  it('leaves no listener on the response', async () => {
    await lastValueFrom(intercept(create, () => of('done')));
    await lastValueFrom(intercept(byArguments, () => of('done')));
    await lastValueFrom(intercept(create, () => throwError(() => new Error('business')))).catch(() => undefined);
    expect(response.listenerCount('close')).toBe(0);
  });
});

describe('interceptorFor', () => {
  it('is one class for the pool without a name, and one that knows its pool for any other', () => {
    expect(interceptorFor(undefined)).toBe(RedlockInterceptor);
    const Named = interceptorFor('reports');
    expect(Object.create(Named.prototype)).toBeInstanceOf(RedlockInterceptor);
    expect(Reflect.getMetadata('self:paramtypes', Named)).toContainEqual({
      index: 0,
      param: 'RedlockService(reports)',
    });
  });
});
