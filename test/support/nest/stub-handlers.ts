import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { lastValueFrom, of, type Observable } from 'rxjs';
import type { ExceptionFactory } from '../../../lib/with-lock/reply/exceptions.js';
import { RedlockInterceptor } from '../../../lib/with-lock/redlock.interceptor.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';
import { Deferred } from './deferred.js';
import { StubService } from './stub-service.js';

/** What handlers of every kind may look like; the context says of which kind a call is. */
export class StubHandlers {
  static factory: ExceptionFactory | undefined;
  work = new Deferred<string>();

  @MessagePattern('sign-up')
  @WithLock('user:<data.email>:<user.id>')
  message(): Promise<string> {
    return this.work.promise;
  }

  @EventPattern('signed-up')
  @WithLock('user:<data.email>')
  async event(_data: object): Promise<void> {}

  @WithLock('user:<args.input.email>:<parent.id>:<user.id>:<headers.X-Id>')
  async resolver(): Promise<void> {}

  @WithLock('user:<args.id>')
  async operation(): Promise<void> {}

  @WithLock('user:<data.email>')
  async onSocket(): Promise<void> {}

  @WithLock('user:<0>')
  async byArgument(_email?: string): Promise<void> {}

  /** Returns a stream that nobody could know of before, so that the method takes the lock once more for it. */
  @WithLock('user:<0>')
  async promisedStream(_email: string, begin: () => void): Promise<Observable<string>> {
    begin();
    return of('done');
  }

  @WithLock('user:<body.email>')
  async byBody(): Promise<void> {}

  @WithLock('all', { exceptionFactory: (...args) => StubHandlers.factory?.(...args) })
  async own(): Promise<void> {}
}

export type Handler = (...args: never[]) => unknown;

/** A service that a module might have told what to make of errors. */
export class StubPool extends StubService {
  exceptionFactory: ExceptionFactory | undefined;
}

export function contextOf(type: string, handler: Handler, args: unknown[]): ExecutionContextHost {
  const context = new ExecutionContextHost(args, StubHandlers, handler);
  context.setType(type);
  return context;
}

export const DATA = { email: 'a@b' };

export function rpcContext(handler: Handler, connection = new EventEmitter()): ExecutionContextHost {
  return contextOf('rpc', handler, [DATA, { user: { id: 5 }, getSocketRef: () => ({ netSocket: connection }) }]);
}

/** Passes the interceptor on the way to a handler that does `handle`. */
export function intercept(
  service: StubService,
  context: ExecutionContextHost,
  handle: () => Observable<unknown> = () => of('done'),
): Observable<unknown> {
  return new RedlockInterceptor(service).intercept(context, { handle });
}

export function answer(...args: Parameters<typeof intercept>): Promise<unknown> {
  return lastValueFrom(intercept(...args));
}
