import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { catchError, defer, finalize, Observable, tap, throwError } from 'rxjs';
import { getRedlockToken } from '../redlock.tokens.js';
import { exceptionMaker, type ExceptionFactory } from './reply/exceptions.js';
import { LockCall, lockCalls, type LockCallInit } from './run/lock-call.js';
import { planOf, type LockPlan } from './run/lock-plan.js';
import type { LockedRun, LockService } from './run/run-locked.js';
import type { LockedSource } from './run/method-work.js';
import { streamLocked } from './run/locked-stream.js';
import { handlerCallOf } from './transport/handler-call.js';
import { WaitCancellation } from './transport/wait-cancellation.js';

/** A request, and how its lock is taken. */
type LockedRequest = LockCallInit & { readonly run: LockedRun };

/** Takes the lock of a handler by its request, before pipes and handler run; `@WithLock` adds this interceptor to the handler. */
@Injectable()
export class RedlockInterceptor implements NestInterceptor {
  /** By method, because reading metadata with every request takes long. */
  readonly #plans = new WeakMap<object, LockPlan | undefined>();

  constructor(@Inject(getRedlockToken()) private readonly service: LockService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const plan = this.#planOf(context.getHandler());
    // An outer interceptor has made the call already.
    if (!plan || lockCalls.getStore()?.isOf(context)) return next.handle();
    const call = handlerCallOf(context);
    // In an unknown kind of handler the method itself takes the lock.
    if (!call) return next.handle();
    const { service } = this;
    const { request, kind, client, isAnswered } = call;
    const makerBy = (factory: ExceptionFactory | undefined) =>
      exceptionMaker(factory, context, (error) => call.toException(error));
    const toException = makerBy(plan.exceptionFactory ?? service.exceptionFactory);
    const resources = (): readonly string[] => plan.key.resolve({ request, kind });
    const run = { service, plan, owner: context.getClass(), resources, toException, client };
    const lockIn = plan.key.needsArguments ? byMethod : byRequest;
    const stream = lockIn({ context, request, kind, run }, next);
    if (!isAnswered) return stream;
    // Converts errors of other locks, which methods called by the handler take. For HTTP and GraphQL a filter of the application does that.
    const toAnswer = makerBy(service.exceptionFactory);
    return stream.pipe(catchError((error) => throwError(() => (isAnswered(error) ? error : toAnswer(error)))));
  }

  #planOf(method: object): LockPlan | undefined {
    if (!this.#plans.has(method)) this.#plans.set(method, planOf(method));
    return this.#plans.get(method);
  }
}

/** Takes the lock around all that is left of the way to the method. */
function byRequest(request: LockedRequest, next: CallHandler): Observable<unknown> {
  return streamLocked(request.run, (lock) => enter(new LockCall({ ...request, lock }), next));
}

/**
 * Lets the method take the lock, because only the pipes produce the arguments that its key reads. The wait ends when the client goes away, or when
 * nobody listens any more.
 */
function byMethod(request: LockedRequest, next: CallHandler): Observable<unknown> {
  const { plan, client } = request.run;
  return defer(() => {
    const signal = new WaitCancellation({ client, signals: [plan.options.signal] });
    const end = (): void => signal.end();
    const call = new LockCall({ ...request, run: { ...request.run, signal } });
    return new Observable((all) => enter(call, next).subscribe(all)).pipe(
      tap({ error: end, complete: end }),
      finalize(() => signal.cancel()),
    );
  });
}

/** Runs the handler in the context of the call from subscription on: an interceptor further in may call the handler only then. */
function enter(call: LockCall, next: CallHandler): LockedSource<unknown> {
  return { work: call, subscribe: (observer) => lockCalls.run(call, () => next.handle().subscribe(observer)) };
}

/** Returns the interceptor that locks on the pool with this name. */
export function interceptorFor(pool: string | undefined): Type<RedlockInterceptor> {
  if (pool === undefined) return RedlockInterceptor;
  @Injectable()
  class NamedRedlockInterceptor extends RedlockInterceptor {
    constructor(@Inject(getRedlockToken(pool)) service: LockService) {
      super(service);
    }
  }
  return NamedRedlockInterceptor;
}
