import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { getRedlockToken } from '../redlock.tokens.js';
import { onDisconnect, type HttpResponse } from './disconnect.js';
import { toHttpException } from './http-errors.js';
import { LockCall, lockCalls } from './lock-call.js';
import { planOf } from './lock-plan.js';
import { streamLocked, type Locker } from './run-locked.js';

/** Takes the lock of a handler by its HTTP request, before pipes and handler run; `@WithLock` puts it in its place. */
@Injectable()
export class RedlockInterceptor implements NestInterceptor {
  constructor(@Inject(getRedlockToken()) private readonly locker: Locker) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const plan = planOf(context.getHandler());
    // Anything else than HTTP is locked by the method itself.
    if (!plan || lockCalls.getStore()?.isFor(plan) || context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const response = http.getResponse<HttpResponse>();
    const client = onDisconnect(response);
    const reply = { toReply: (error: unknown) => toHttpException(error, response), signal: client.signal };
    const request = http.getRequest<object>();
    const stream = plan.key.needsArguments
      ? // Only the pipes make those: the method takes the lock, and is told about the request.
        enter(new LockCall({ plan, request, reply }), next)
      : streamLocked(
          { locker: this.locker, plan, resources: () => plan.key.resolve({ request }), ...reply },
          (lock) => {
            client.ignore();
            return enter(new LockCall({ plan, request, lock, reply }), next);
          },
        );
    return stream.pipe(finalize(client.ignore));
  }
}

function enter(call: LockCall, next: CallHandler): Observable<unknown> {
  return lockCalls.run(call, () => next.handle());
}

/** The interceptor that locks on the pool with this name. */
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
