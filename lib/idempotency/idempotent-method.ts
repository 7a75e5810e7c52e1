import { defer, from, isObservable, type Observable } from 'rxjs';
import { RedlockError } from '../engine/errors.js';
import { KeyDefinitionError } from '../with-lock/key/key-roots.js';
import { PromiseAndObservable, ResultKind } from '../with-lock/run/result-kind.js';
import { callParameterOf } from './current-call.decorator.js';
import { argumentsFingerprint } from './handler-content.js';
import { keyOfSource, WRITE } from './idempotency-key.js';
import type { Idempotency } from './idempotency.js';
import { type IdempotentCall, idempotentCalls } from './idempotent-call.js';
import type { IdempotentPlan } from './idempotent-plan.js';
import { runMethodOnce } from './once-work.js';
import { preparedPlan } from './prepared-plan.js';
import { ValueWay } from './value-way.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

export interface MethodToKeep {
  readonly target: object;
  readonly name: string | symbol;
  readonly method: Method;
  readonly plan: IdempotentPlan;
  /** The property under which Nest injects the `Idempotency`. */
  readonly service: symbol;
}

/** One call of a method that no interceptor has prepared. */
interface PlainCall {
  readonly self: unknown;
  readonly args: unknown[];
}

/** Returns the method so that it runs once for its key; a proxy, so that name, length and properties of the method stay the same. */
export function idempotentMethod(toKeep: MethodToKeep): Method {
  const { plan } = toKeep;
  const kind = new ResultKind(toKeep.method, plan.where);
  return new Proxy(toKeep.method, {
    apply(method, self: unknown, args: unknown[]) {
      const entered = idempotentCalls.getStore();
      // Nest, or an interceptor, calls the handler of a request whose key the interceptor has.
      if (entered?.admits(plan, self)) return entered.follow(() => Reflect.apply(method, self, args));
      const call = (): Promise<unknown> => callOnce(toKeep, kind, { self, args });
      if (kind.isStream) return defer(() => from(call()));
      return kind.isPromise ? call() : new PromiseAndObservable(call(), plan.where);
    },
  });
}

async function callOnce(toKeep: MethodToKeep, kind: ResultKind, { self, args }: PlainCall): Promise<unknown> {
  const { plan } = toKeep;
  const idempotency = idempotencyOf(toKeep, self);
  if (plan.key === undefined) throw new KeyDefinitionError(`${plan.where}: no HTTP request is handled here: ${WRITE}`);
  const prepared = preparedPlan(idempotency, plan);
  const key = keyOfSource(prepared, { args });
  const source = (work: IdempotentCall): Observable<unknown> =>
    defer(() => {
      const filled = withCallArgument(toKeep, args, work);
      const result = work.follow(() => Reflect.apply(toKeep.method, self, filled));
      kind.note(result);
      return isObservable(result) ? result : from(Promise.resolve(result));
    });
  const refused = (error: unknown): never => {
    throw error;
  };
  const way = new ValueWay(prepared.codec);
  const method = { idempotency, plan, prepared, way, owner: (self as object).constructor, source, refused };
  return runMethodOnce(method, key, argumentsFingerprint(prepared, key, args));
}

function idempotencyOf({ plan, service }: MethodToKeep, self: unknown): Idempotency {
  const found = (self as Record<symbol, Idempotency | undefined> | undefined)?.[service];
  if (found) return found;
  throw new RedlockError(
    'NO_SERVICE',
    [],
    `${plan.where} has no Idempotency to keep its reply, so it did not run: let Nest create the object, in a module that imports ` +
      'RedlockIdempotencyModule (or under one with isGlobal: true)',
  );
}

/** Puts the call into the parameter that takes it. */
function withCallArgument({ target, name }: MethodToKeep, args: unknown[], { call }: IdempotentCall): unknown[] {
  const index = callParameterOf(target, name);
  if (index === undefined) return args;
  const filled = [...args];
  filled[index] = call;
  return filled;
}
