import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { catchError, Observable, throwError, type MonoTypeOperatorFunction, type Subscribable } from 'rxjs';
import type { Lock } from '../core/api/lock.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { WaitCancellation } from './transport/wait-cancellation.js';
import { makeException, type ExceptionFactory } from './reply/exception-factory.js';
import { handlingOf, type Handling } from './transport/handling.js';
import { logKeyError } from './key/key-error-log.js';
import { LockCall, lockCalls } from './run/lock-call.js';
import { planOf, type LockPlan } from './run/lock-plan.js';
import { streamLocked } from './run/locked-stream.js';
import type { Locker } from './run/locker.js';

/** What belongs to one call of a handler. */
interface Visit {
  readonly plan: LockPlan;
  /** The class of the handler. */
  readonly owner: unknown;
  readonly handling: Handling;
  readonly next: CallHandler;
  readonly toReply: (error: unknown) => unknown;
}

/** Takes the lock of a handler by its request, before pipes and handler run; `@WithLock` adds this interceptor to the handler. */
@Injectable()
export class RedlockInterceptor implements NestInterceptor {
  /** By method, because reading metadata with every request takes long. */
  readonly #plans = new WeakMap<object, LockPlan | undefined>();

  constructor(@Inject(getRedlockToken()) private readonly locker: Locker) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const plan = this.#planOf(context.getHandler());
    if (!plan || lockCalls.getStore()?.isFor(plan)) return next.handle();
    const handling = handlingOf(context);
    // In an unknown kind of handler the method itself takes the lock.
    if (!handling) return next.handle();
    const { exceptionFactory } = this.locker;
    const replyBy = (factory: ExceptionFactory | undefined) => (error: unknown) => {
      logKeyError(error);
      return handling.toException(makeException(factory, error, context) ?? error);
    };
    const visit = {
      plan,
      owner: context.getClass(),
      handling,
      next,
      toReply: replyBy(plan.exceptionFactory ?? exceptionFactory),
    };
    // Only the pipes produce the arguments: the method takes the lock by them, and learns about the request from the `LockCall`.
    const stream = plan.key.needsArguments ? byMethod(visit) : this.#byRequest(visit);
    return handling.isAnswered ? stream.pipe(answering(handling.isAnswered, replyBy(exceptionFactory))) : stream;
  }

  #planOf(method: object): LockPlan | undefined {
    if (!this.#plans.has(method)) this.#plans.set(method, planOf(method));
    return this.#plans.get(method);
  }

  #byRequest({ plan, owner, handling, next, toReply }: Visit): Observable<unknown> {
    const { request, kind, client } = handling;
    let call: LockCall | undefined;
    const begin = (lock: Lock | undefined): Subscribable<unknown> => {
      call = new LockCall({ plan, request, kind, lock, reply: { toReply } });
      return enter(call, next);
    };
    const resources = (): readonly string[] => plan.key.resolve({ request, kind });
    return streamLocked(
      { locker: this.locker, plan, owner, resources, toReply, client, onAbandoned: () => call?.leave() },
      begin,
    );
  }
}

/** Lets the method take the lock; ends its wait when the client goes away, or when nobody listens any more. */
function byMethod({ plan, handling: { request, kind, client }, next, toReply }: Visit): Observable<unknown> {
  return new Observable((subscriber) => {
    const cancellation = new WaitCancellation({ client, signals: [plan.options.signal] });
    const call = new LockCall({ plan, request, kind, reply: { toReply, signal: cancellation } });
    const subscription = enter(call, next).subscribe({
      next: (value) => subscriber.next(value),
      error: (error) => {
        cancellation.end();
        subscriber.error(error);
      },
      complete: () => {
        cancellation.end();
        subscriber.complete();
      },
    });
    return () => {
      subscription.unsubscribe();
      cancellation.leave();
    };
  });
}

/** Converts errors of other locks, which methods called by the handler take. For HTTP and GraphQL a filter of the application does that. */
function answering<T>(
  isAnswered: (error: unknown) => boolean,
  toReply: (error: unknown) => unknown,
): MonoTypeOperatorFunction<T> {
  return catchError((error) => throwError(() => (isAnswered(error) ? error : toReply(error))));
}

/** Runs the handler in the context of the call from subscription on: an interceptor further in may call the handler only then. */
function enter(call: LockCall, next: CallHandler): Subscribable<unknown> {
  return { subscribe: (observer) => lockCalls.run(call, () => next.handle().subscribe(observer)) };
}

/** Returns the interceptor that locks on the pool with this name. */
export function interceptorFor(pool: string | undefined): Type<RedlockInterceptor> {
  if (pool === undefined) return RedlockInterceptor;
  @Injectable()
  class NamedRedlockInterceptor extends RedlockInterceptor {
    constructor(@Inject(getRedlockToken(pool)) locker: Locker) {
      super(locker);
    }
  }
  return NamedRedlockInterceptor;
}
