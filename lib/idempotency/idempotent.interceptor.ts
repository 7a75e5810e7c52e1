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
import { handlerFingerprint } from './handler-content.js';
import { type HttpAnswers, type HttpReply, HttpWay } from './http-way.js';
import { keyOfCall } from './idempotency-key.js';
import { IdempotencyError } from './idempotency.errors.js';
import type { Idempotency } from './idempotency.js';
import { getIdempotencyToken } from './idempotency.tokens.js';
import { entersFirst, IdempotentCall } from './idempotent-call.js';
import { type IdempotentPlan, idempotentPlanOf } from './idempotent-plan.js';
import { runMethodOnce } from './once-work.js';
import { type PreparedPlan, preparedPlan } from './prepared-plan.js';
import { type HttpPlace, isEvent, toRefusal } from './refusal.js';
import type { ReplyWay } from './reply-ways.js';
import { ValueWay } from './value-way.js';

/** What the interceptor of a pool works with. */
export interface IdempotentInterceptorInit {
  readonly idempotency: Idempotency;
  readonly host: Partial<Pick<HttpAdapterHost, 'httpAdapter'>>;
  /** The name of the pool. */
  readonly name?: string | undefined;
}

/** One call of a handler, on its way through the interceptors. */
interface Entry {
  readonly context: ExecutionContext;
  readonly next: CallHandler;
  readonly plan: IdempotentPlan;
  readonly prepared: PreparedPlan;
  readonly call: HandlerCall;
  /** Undefined for a handler of another kind. */
  readonly http: HttpPlace | undefined;
}

/**
 * Runs handlers with `@Idempotent` once for each key. It has to be the outermost interceptor: what it keeps then is what the client gets, and guards
 * run for each duplicate. The decorator adds another one to the handler, which acts only if the outermost one did not run.
 */
export class IdempotentInterceptor implements NestInterceptor {
  /** By handler, because this interceptor is asked for every request, and reading metadata takes long. */
  readonly #plans = new WeakMap<object, IdempotentPlan | undefined>();

  constructor(private readonly init: IdempotentInterceptorInit) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const plan = this.#planOf(context.getHandler());
    const { idempotency, name } = this.init;
    if (!plan || plan.pool !== name) return next.handle();
    const call = handlerCallOf(context);
    // In an unknown kind of handler the method itself is what runs once.
    if (!call || !entersFirst(context)) return next.handle();
    return defer(() => {
      const prepared = preparedPlan(idempotency, plan);
      const entry = { context, next, plan, prepared, call, http: this.#placeOf(context, call, prepared) };
      return this.#enter(entry);
    });
  }

  #enter(entry: Entry): Observable<unknown> {
    const { context, next, plan, prepared, call, http } = entry;
    try {
      const key = keyOfCall(prepared, call, context);
      if (key === undefined) {
        this.init.idempotency.runner.tell({ type: 'unprotected', resources: [], label: prepared.label });
        return new IdempotentCall({ plan, owner: context.getClass(), call: undefined }).within(() => next.handle());
      }
      const fingerprint = handlerFingerprint(prepared, key, call, context);
      return from(this.#run(entry, key, fingerprint));
    } catch (error) {
      throw toRefusal(error, call, http);
    }
  }

  #run(entry: Entry, key: string, fingerprint: string | null): Promise<unknown> {
    const { context, next, plan, prepared, call, http } = entry;
    const { idempotency } = this.init;
    const source = (): Observable<unknown> => next.handle();
    const refused = (error: unknown): unknown => {
      if (isEvent(call) && isDone(error)) return undefined;
      throw toRefusal(error, call, http);
    };
    const owner = context.getClass();
    return runMethodOnce({ idempotency, plan, prepared, way: wayOf(entry), owner, source, refused }, key, fingerprint);
  }

  #planOf(method: object): IdempotentPlan | undefined {
    if (!this.#plans.has(method)) this.#plans.set(method, idempotentPlanOf(method));
    return this.#plans.get(method);
  }

  #placeOf(context: ExecutionContext, { kind }: HandlerCall, { docs }: PreparedPlan): HttpPlace | undefined {
    const adapter = this.init.host.httpAdapter as HttpAnswers | undefined;
    if (kind !== HTTP || !adapter) return undefined;
    return { response: context.switchToHttp().getResponse<HttpReply>(), adapter, docs };
  }
}

function wayOf({ call, http, prepared }: Entry): ReplyWay {
  return http ? new HttpWay(prepared, http.response, http.adapter) : new ValueWay(prepared.codec, isEvent(call));
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
      super({ idempotency, host, name });
    }
  }
  return IdempotentMethodInterceptor;
}
