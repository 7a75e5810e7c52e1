import { RedlockError } from '../engine/errors.js';
import type { Lock } from '../engine/lock.js';
import { lockParameterOf } from './current-lock.decorator.js';
import { exceptionMaker, toLockException } from './reply/exceptions.js';
import type { KeySource } from './key/key-template.js';
import { type LockCall, lockCalls } from './run/lock-call.js';
import type { LockPlan } from './run/lock-plan.js';
import type { LockService } from './run/lock-service.js';
import type { LockedRun } from './run/run-alone.js';
import { callLocked } from './run/method-call.js';
import { ResultKind } from './run/result-kind.js';
import { WaitCancellation } from './transport/wait-cancellation.js';

/** The metadata keys of Nest's `@ResolveField` and `@ResolveReference`. */
const FIELDS = ['graphql:resolve_property', 'graphql:resolve_reference'];

type Method = (this: unknown, ...args: unknown[]) => unknown;

export interface MethodToLock {
  readonly target: object;
  readonly name: string | symbol;
  readonly method: Method;
  readonly plan: LockPlan;
  /** The property under which Nest injects the service. */
  readonly service: symbol;
}

/** The index of the parameter that takes the lock, if there is one. */
interface LockParameter {
  readonly index: number | undefined;
}

/** Returns the method so that it runs under its lock; a proxy, so that name, length and properties of the method stay the same. */
export function lockMethod(toLock: MethodToLock): Method {
  const { plan } = toLock;
  const resultKind = new ResultKind(toLock.method, plan.where);
  let parameter: LockParameter | undefined;
  // Read at the first call, when the class is complete, and kept, because reading metadata with every call takes long.
  const lockParameter = (): LockParameter => (parameter ??= { index: lockParameterOf(toLock.target, toLock.name) });
  return new Proxy(toLock.method, {
    apply(method, self: unknown, args: unknown[]) {
      const call = lockCalls.getStore();
      const own = call?.admits(plan, self) ? call : undefined;
      const run = (lock: Lock | undefined): unknown =>
        Reflect.apply(method, self, lock ? withLockArgument(lockParameter(), args, lock) : args);
      if (own?.lock) return own.invokeUnderLock(run, own.lock);
      const invoke = (lock: Lock | undefined): unknown => {
        const result = run(lock);
        resultKind.note(result);
        // Nest awaits what a handler returns.
        if (!own) resultKind.warnOfValue(result);
        return result;
      };
      const toRun = (): LockedRun => ({
        ...(own ? requestOf(own) : fieldRun(toLock, self)),
        ...runOf(toLock, self, { args, request: call?.request, kind: call?.kind }),
      });
      return callLocked({ kind: resultKind, invoke: own ? (lock) => own.invokeTracked(invoke, lock) : invoke, toRun });
    },
  });
}

/** Returns what a call of a handler throws, and what ends its wait. Each call ends its wait by itself, as an interceptor may call the method again. */
function requestOf({ run }: LockCall): Partial<LockedRun> {
  return { ...run, signal: run.signal && new WaitCancellation({ signals: [run.signal] }) };
}

function runOf({ plan, service }: MethodToLock, self: unknown, source: KeySource): LockedRun {
  const found = serviceOf(self, service);
  if (!found) {
    throw new RedlockError(
      'NO_SERVICE',
      [],
      `${plan.where} has a lock and no RedlockService to take it from, so it did not run: let Nest create the object, ` +
        'in a module that imports RedlockModule (or under one with isGlobal: true)',
    );
  }
  return { service: found, plan, owner: (self as object).constructor, resources: () => plan.key.resolve(source) };
}

function serviceOf(self: unknown, service: symbol): LockService | undefined {
  return (self as Record<symbol, LockService | undefined> | undefined)?.[service];
}

/**
 * Returns what a field resolver throws. Unless told otherwise, Nest runs field resolvers without interceptors and filters, so that
 * their errors reach the client.
 */
function fieldRun({ target, name, plan, service }: MethodToLock, self: unknown): Pick<LockedRun, 'toException'> {
  const method = (target as Record<string | symbol, object>)[name]!;
  if (!FIELDS.some((mark) => Reflect.hasMetadata(mark, method))) return {};
  const factory = plan.exceptionFactory ?? serviceOf(self, service)?.exceptionFactory;
  return { toException: exceptionMaker({ factory, context: undefined, usual: toLockException }) };
}

/**
 * Puts the lock into the parameter that takes it. A lock that the caller passes stays; any other value is replaced, because some libraries
 * call methods with one more argument.
 */
function withLockArgument({ index }: LockParameter, args: unknown[], lock: Lock): unknown[] {
  if (index === undefined || isLock(args[index])) return args;
  const filled = [...args];
  filled[index] = lock;
  return filled;
}

function isLock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'assertValid' in value;
}
