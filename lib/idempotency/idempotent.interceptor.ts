import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  Optional,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { defer, from, type Observable } from 'rxjs';
import { HTTP } from '../with-lock/key/key-roots.js';
import { type HandlerCall, handlerCallOf } from '../with-lock/transport/handler-call.js';
import { handlerFingerprint } from './fingerprint.js';
import { type HttpAnswers, type HttpReply, HttpWay } from './http-way.js';
import { type HttpPlace, isEvent, toRefusal } from './idempotency-exception.filter.js';
import { keyOfCall } from './idempotency-key.js';
import { IdempotencyError } from './idempotency.errors.js';
import { getIdempotencyToken, type Idempotency } from './idempotency.js';
import { IdempotentCall, runMethodOnce } from './idempotent-call.js';
import { type IdempotentPlan, idempotentPlanOf, type PreparedPlan, preparedPlan } from './idempotent-plan.js';
import { ValueWay } from './reply-way.js';

/** The invocations that an interceptor has seen. Nest passes one context to all interceptors. */
const entered = new WeakSet<ExecutionContext>();

/**
 * Runs handlers with `@Idempotent` once for each key. It has to be the outermost interceptor: what it keeps then is what the client gets, and guards
 * run for each duplicate. The decorator adds another one to the handler, which acts only if the outermost one did not run.
 */
export class IdempotentInterceptor implements NestInterceptor {
  /** By handler, because this interceptor is asked for every request, and reading metadata takes long. */
  readonly #plans = new WeakMap<object, IdempotentPlan | undefined>();

  constructor(
    private readonly idempotency: Idempotency,
    private readonly host: Partial<Pick<HttpAdapterHost, 'httpAdapter'>>,
    /** The name of the pool. */
    private readonly name?: string,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const plan = this.#planOf(context.getHandler());
    if (!plan || plan.pool !== this.name) return next.handle();
    const call = handlerCallOf(context);
    // In an unknown kind of handler the method itself is what runs once.
    if (!call || entered.has(context)) return next.handle();
    entered.add(context);
    return defer(() => this.#enter(context, next, call, preparedPlan(this.idempotency, plan)));
  }

  #enter(context: ExecutionContext, next: CallHandler, call: HandlerCall, plan: PreparedPlan): Observable<unknown> {
    const { idempotency } = this;
    const http = this.#placeOf(context, call, plan);
    const refused = (error: unknown): unknown => {
      if (isEvent(call) && isDone(error)) return undefined;
      throw toRefusal(error, call, http);
    };
    try {
      const key = keyOfCall(plan, call, context);
      const owner = context.getClass();
      const source = (): Observable<unknown> => next.handle();
      if (key === undefined) {
        idempotency.runner.tell({ type: 'unprotected', resources: [], label: plan.label });
        return new IdempotentCall(owner, plan.plan, undefined).within(source);
      }
      const fingerprint = handlerFingerprint(plan, key, call, context);
      const way = http ? new HttpWay(plan, http.response, http.adapter) : new ValueWay(plan.codec, isEvent(call));
      return from(runMethodOnce({ idempotency, plan, way, owner, source, refused }, key, fingerprint));
    } catch (error) {
      throw toRefusal(error, call, http);
    }
  }

  #planOf(method: object): IdempotentPlan | undefined {
    if (!this.#plans.has(method)) this.#plans.set(method, idempotentPlanOf(method));
    return this.#plans.get(method);
  }

  #placeOf(context: ExecutionContext, { kind }: HandlerCall, { docs }: PreparedPlan): HttpPlace | undefined {
    const adapter = this.host.httpAdapter as HttpAnswers | undefined;
    if (kind !== HTTP || !adapter) return undefined;
    return { response: context.switchToHttp().getResponse<HttpReply>(), adapter, docs };
  }
}

/** An event needs no reply, so that it is done whatever became of its value. */
function isDone(error: unknown): boolean {
  return error instanceof IdempotencyError && error.code === 'IDEMPOTENCY_REPLY_NOT_KEPT';
}

/** Returns the interceptor that the decorator adds to a handler. */
export function methodInterceptorFor(name: string | undefined): Type<NestInterceptor> {
  @Injectable()
  class IdempotentMethodInterceptor extends IdempotentInterceptor {
    constructor(
      // If it is missing, the property of the controller says what to import.
      @Optional() @Inject(getIdempotencyToken(name)) idempotency: Idempotency,
      @Inject(HttpAdapterHost) host: HttpAdapterHost,
    ) {
      super(idempotency, host, name);
    }
  }
  return IdempotentMethodInterceptor;
}
