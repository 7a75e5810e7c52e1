import 'reflect-metadata';
import { createParamDecorator, Inject, UseInterceptors } from '@nestjs/common';
import { defer, from, isObservable, type Observable } from 'rxjs';
import { mistake } from '../engine/codes.js';
import { RedlockError } from '../engine/errors.js';
import { copyMetadata } from '../with-lock/with-lock.decorator.js';
import { KeyDefinitionError } from '../with-lock/key/key-roots.js';
import { addMessageFilter } from '../with-lock/reply/message-filter.js';
import { PromiseAndObservable, ResultKind } from '../with-lock/run/result-kind.js';
import { argumentsFingerprint } from './fingerprint.js';
import { keyOfSource, WRITE } from './idempotency-key.js';
import { getIdempotencyToken, type Idempotency } from './idempotency.js';
import { type IdempotentCall, idempotentCalls, runMethodOnce } from './idempotent-call.js';
import {
  type IdempotentOptions,
  type IdempotentPlan,
  preparedPlan,
  setIdempotentPlan,
  toIdempotentPlan,
} from './idempotent-plan.js';
import { methodInterceptorFor } from './idempotent.interceptor.js';
import { ValueWay } from './reply-way.js';

const CALL_PARAMETER = Symbol.for('nestjs-redlock:call-parameter');

/** Passes the `OnceCall` to a parameter of a method with `@Idempotent`. The parameter is undefined in a call without a key. @throws TypeError on a parameter of a constructor */
export function CurrentCall(): ParameterDecorator {
  return (target, name, index) => {
    if (name === undefined)
      throw mistake('REDLOCK_E08', '@CurrentCall() is for parameters of methods, not of constructors');
    createParamDecorator(() => idempotentCalls.getStore()?.call)()(target, name, index);
    Reflect.defineMetadata(CALL_PARAMETER, index, target, name);
  };
}

/**
 * Runs a method of a controller or provider once for each key, on all replicas. A duplicate gets the reply of the first call. Without a key template,
 * the key is the `Idempotency-Key` header, for each principal and each route.
 * @throws TypeError, RangeError when the class is defined, for a malformed key or option
 * @example
 * ```ts
 * @Post()
 * @Idempotent()
 * async create(@Body() body: OrderDto) {}
 *
 * @Post()
 * @Idempotent('signup:<body.email|trim|lower>')
 * async signUp(@Body() body: SignUpDto) {}
 * ```
 */
export function Idempotent(options?: IdempotentOptions): MethodDecorator;
export function Idempotent(key: string, options?: IdempotentOptions): MethodDecorator;
export function Idempotent(first?: string | IdempotentOptions, second?: IdempotentOptions): MethodDecorator {
  refuseBare(first, second);
  const key = typeof first === 'string' ? first : undefined;
  const options = (typeof first === 'string' ? second : first) ?? {};
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor | undefined) => {
    const owner = typeof target === 'function' ? target : target.constructor;
    const where = `@Idempotent on ${owner.name}.${String(name)}`;
    const method: unknown = descriptor?.value;
    if (descriptor === undefined || typeof target === 'function' || typeof method !== 'function')
      throw mistake(
        'REDLOCK_E08',
        `${where}: only methods of instances can be idempotent, since Nest injects into those`,
      );
    if (Object.prototype.toString.call(method).endsWith('GeneratorFunction]'))
      throw mistake(
        'REDLOCK_E08',
        `${where}: what a generator gives can be read only once; return an Observable or a promise`,
      );
    const plan = toIdempotentPlan(key, options, where);
    // Nest shows this name if the module is missing.
    const service = Symbol.for(serviceProperty(plan.pool));
    Inject(getIdempotencyToken(plan.pool))(target, service);
    const parameter = (): number | undefined =>
      Reflect.getOwnMetadata(CALL_PARAMETER, target, name) as number | undefined;
    const kept = idempotentMethod(method as () => unknown, plan, service, parameter);
    UseInterceptors(methodInterceptorFor(plan.pool))(target, name, { ...descriptor, value: kept });
    addMessageFilter(owner);
    copyMetadata(method, kept);
    setIdempotentPlan(kept, plan);
    descriptor.value = kept;
  };
}

function serviceProperty(pool: string | undefined): string {
  const options = pool === undefined ? '' : `{ name: '${pool}' }`;
  return `@Idempotent needs RedlockIdempotencyModule.forRoot(${options}) among the imports of the module`;
}

/** Refuses `@Idempotent` without brackets: it is then called with what it stands on. */
function refuseBare(first: unknown, second: unknown): void {
  const isName = typeof second === 'string' || typeof second === 'symbol';
  if (typeof first !== 'function' && !isName) return;
  const owner = typeof first === 'function' ? first : (first as object).constructor;
  throw mistake(
    'REDLOCK_E08',
    `@Idempotent on ${owner.name}${isName ? `.${String(second)}` : ''}: write @Idempotent() or @Idempotent('...') with a key, above a method`,
  );
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Returns the method so that it runs once for its key. A proxy keeps name, length and properties of the method.
 * @param service the property under which Nest injects the `Idempotency`
 * @param parameter returns the index of the parameter with `@CurrentCall()`
 */
function idempotentMethod(
  method: Method,
  plan: IdempotentPlan,
  service: symbol,
  parameter: () => number | undefined,
): Method {
  const kind = new ResultKind(method, plan.where);
  const callOnce = async (self: unknown, args: unknown[]): Promise<unknown> => {
    const idempotency = idempotencyOf(self, service, plan);
    if (plan.key === undefined)
      throw new KeyDefinitionError(`${plan.where}: no HTTP request is handled here: ${WRITE}`);
    const prepared = preparedPlan(idempotency, plan);
    const key = keyOfSource(prepared, { args });
    const source = (work: IdempotentCall): Observable<unknown> =>
      defer(() => {
        const result = work.follow(() => Reflect.apply(method, self, withCall(args, parameter(), work)));
        kind.note(result);
        return isObservable(result) ? result : from(Promise.resolve(result));
      });
    const refused = (error: unknown): never => {
      throw error;
    };
    const way = new ValueWay(prepared.codec);
    const once = { idempotency, plan: prepared, way, owner: (self as object).constructor, source, refused };
    return runMethodOnce(once, key, argumentsFingerprint(prepared, key, args));
  };
  return new Proxy(method, {
    apply(_method, self: unknown, args: unknown[]) {
      const entered = idempotentCalls.getStore();
      // Nest, or an interceptor, calls the handler of a request whose key the interceptor has.
      if (entered?.admits(plan, self)) return entered.follow(() => Reflect.apply(method, self, args));
      if (kind.isStream) return defer(() => from(callOnce(self, args)));
      return kind.isPromise ? callOnce(self, args) : new PromiseAndObservable(callOnce(self, args), plan.where);
    },
  });
}

function idempotencyOf(self: unknown, service: symbol, { where }: IdempotentPlan): Idempotency {
  const found = (self as Record<symbol, Idempotency | undefined> | undefined)?.[service];
  if (found) return found;
  throw new RedlockError(
    'NO_SERVICE',
    [],
    `${where} has no Idempotency to keep its reply, so it did not run: let Nest create the object, in a module that imports ` +
      'RedlockIdempotencyModule (or under one with isGlobal: true), and call the method after the constructor, for example in onModuleInit',
  );
}

/** Puts the call into the parameter that takes it. */
function withCall(args: unknown[], index: number | undefined, { call }: IdempotentCall): unknown[] {
  if (index === undefined) return args;
  const filled = [...args];
  filled[index] = call;
  return filled;
}
