import { isObservable, type Observable, throwError } from 'rxjs';
import { AsyncLocalStorage } from 'node:async_hooks';
import { RedlockError } from '../engine/errors.js';
import type { Lock } from '../engine/lock.js';
import { ignore, setImmediate } from '../engine/native-timers.js';
import { lockParameterOf } from './current-lock.decorator.js';
import { exceptionMaker, toLockException } from './reply/exceptions.js';
import type { KeySource } from './key/key-template.js';
import { LockCall, lockCalls } from './run/lock-call.js';
import type { LockPlan } from './run/lock-plan.js';
import { streamLocked } from './run/locked-stream.js';
import type { LockedSource } from './run/method-work.js';
import { PromiseAndObservable, ResultKind, valuesOf } from './run/result-kind.js';
import { type LockedRun, type LockService, runLocked, skipped } from './run/run-locked.js';
import { WaitCancellation } from './transport/wait-cancellation.js';

/** The metadata keys of Nest's `@ResolveField` and `@ResolveReference`. */
const FIELDS = ['graphql:resolve_property', 'graphql:resolve_reference'];

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Invoke = (lock: Lock | undefined) => unknown;

export interface MethodToLock {
  readonly target: object;
  readonly name: string | symbol;
  readonly method: Method;
  readonly plan: LockPlan;
  /** The property under which Nest injects the service. */
  readonly service: symbol;
}

/** Returns the method so that it runs under its lock; a proxy, so that name, length and properties of the method stay the same. */
export function lockMethod(toLock: MethodToLock): Method {
  const { plan, target, name } = toLock;
  const kind = new ResultKind(toLock.method, plan.where);
  let parameter: { readonly index: number | undefined } | undefined;
  return new Proxy(toLock.method, {
    apply(method, self: unknown, args: unknown[]) {
      // The interceptor holds the lock (`own.lock`), or leaves it to the method (`own`), or this is a call without an interceptor.
      const call = lockCalls.getStore();
      const own = call?.admits(plan, self) ? call : undefined;
      // Read at the first call, when the class is complete, and kept, because reading metadata with every call takes long.
      const { index } = (parameter ??= { index: lockParameterOf(target, name) });
      const callMethod: Invoke = (lock) =>
        Reflect.apply(method, self, lock ? withLockArgument(index, args, lock) : args);
      if (own?.lock) return own.invokeUnderLock(callMethod, own.lock);
      const invoke: Invoke = (lock) => {
        const result = callMethod(lock);
        kind.note(result);
        // Nest awaits what a handler returns.
        if (!own) kind.warnOfValue(result);
        return result;
      };
      const toRun = (): LockedRun => ({
        ...(own ? answersOf(own) : fieldRun(toLock, self)),
        ...runOf(toLock, self, { args, request: call?.request, kind: call?.kind }),
      });
      return callLocked(kind, own ? (lock) => own.invokeTracked(invoke, lock) : invoke, toRun);
    },
  });
}

/** Returns what a call of a handler throws, and what ends its wait. Each call ends its wait by itself, as an interceptor may call the method again. */
function answersOf({ run }: LockCall): Partial<LockedRun> {
  return { ...run, signal: run.signal && new WaitCancellation({ signals: [run.signal] }) };
}

/** @throws RedlockError if the object has no service */
function runOf({ plan, service }: MethodToLock, self: unknown, source: KeySource): LockedRun {
  const found = serviceOf(self, service);
  if (!found) {
    throw new RedlockError(
      'NO_SERVICE',
      [],
      `${plan.where} has a lock and no RedlockService to take it from, so it did not run: let Nest create the object, ` +
        'in a module that imports RedlockModule (or under one with isGlobal: true), and call the method after the constructor, for ' +
        'example in onModuleInit',
    );
  }
  return { service: found, plan, owner: (self as object).constructor, resources: () => plan.key.resolve(source) };
}

function serviceOf(self: unknown, service: symbol): LockService | undefined {
  return (self as Record<symbol, LockService | undefined> | undefined)?.[service];
}

/**
 * Returns what a field resolver throws. By default, Nest runs field resolvers without interceptors and filters, so that
 * their errors reach the client.
 */
function fieldRun({ target, name, plan, service }: MethodToLock, self: unknown): Pick<LockedRun, 'toException'> {
  const method = (target as Record<string | symbol, object>)[name]!;
  if (!FIELDS.some((mark) => Reflect.hasMetadata(mark, method))) return {};
  const factory = plan.exceptionFactory ?? serviceOf(self, service)?.exceptionFactory;
  return { toException: exceptionMaker(factory, undefined, toLockException) };
}

/**
 * Puts the lock into the parameter that takes it. A lock that the caller passes stays; any other value is replaced, because some libraries
 * call methods with one more argument.
 */
function withLockArgument(index: number | undefined, args: unknown[], lock: Lock): unknown[] {
  if (index === undefined || isLock(args[index])) return args;
  const filled = [...args];
  filled[index] = lock;
  return filled;
}

function isLock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'assertValid' in value;
}

/** Calls the method under its lock. Returns a promise or an Observable; both in one if nobody knows yet which of them. */
function callLocked(kind: ResultKind, invoke: Invoke, toRun: () => LockedRun): unknown {
  if (kind.isStream) return streamOf(invoke, toRun);
  const outcome = outcomeOf(kind, invoke, toRun);
  return kind.isPromise ? outcome : new PromiseAndObservable(outcome, kind.where);
}

function streamOf(invoke: Invoke, toRun: () => LockedRun): Observable<unknown> {
  try {
    const run = toRun();
    return streamLocked(run, (lock) => sourceOf(run, lock, invoke(lock)));
  } catch (error) {
    return throwError(() => error);
  }
}

/** Resolves with what the method returns, after the release; if that is an Observable, at once. */
function outcomeOf(kind: ResultKind, invoke: Invoke, toRun: () => LockedRun): Promise<unknown> {
  const { isPromise } = kind;
  return new Promise((resolve, reject) => {
    const run = toRun();
    const released: Promise<unknown> = runLocked<unknown>(run, async (lock, sharing) => {
      const value = await invoke(lock);
      if (!isObservable(value)) return value;
      const kept = new KeptLock(lock, () => released);
      let isOpen = false;
      const stream = streamLocked({ ...run, kept: (work) => kept.take(work) }, (mine) => {
        // The first subscription gets the Observable that is there. For later ones the method is called again, as it is when its kind is known.
        const source = isOpen && kind.isStream ? invoke(mine) : value;
        isOpen = true;
        return sourceOf(run, mine, source);
      });
      if (sharing) sharing.tell(Promise.resolve(stream));
      else resolve(stream);
      await kept.used();
      return stream;
    });
    const isValue = isPromise || run.toException !== undefined;
    released.then((value) => resolve(value === skipped && isValue ? undefined : value), reject);
  });
}

/** Returns what a stream can follow. A promise keeps the lock until it has settled, also if its subscriber leaves. */
function sourceOf(run: LockedRun, lock: Lock | undefined, result: unknown): LockedSource<unknown> {
  if (isObservable(result)) return result;
  const work = new LockCall({ request: {}, run });
  const values = valuesOf(Promise.resolve(work.invokeTracked(() => result, lock)));
  return { work, subscribe: (observer) => values.subscribe(observer) };
}

/**
 * The lock under which a method has returned an Observable. The first subscription that comes at once goes on under the same lock, because what
 * the method has begun would otherwise run without one.
 */
class KeptLock {
  /** Runs a function where a reentrant call finds the lock. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  #isFree = true;
  #use: Promise<unknown> | undefined;
  #wake: () => void = ignore;

  constructor(
    private readonly lock: Lock | undefined,
    /** Returns a promise that settles when the lock is released. */
    private readonly released: () => Promise<unknown>,
  ) {}

  /** Runs the work under the lock and settles after the release; returns undefined if the lock is not free any more. */
  take<T>(work: (lock: Lock | undefined) => Promise<T>): Promise<T> | undefined {
    if (!this.#isFree) return undefined;
    this.#isFree = false;
    const use = this.#inContext(() => work(this.lock));
    this.#use = use;
    this.#wake();
    return this.#afterRelease(use);
  }

  /** Resolves when the work is done; or, if nobody has come, after one turn of the event loop. */
  async used(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setImmediate(resolve);
    });
    this.#isFree = false;
    // The subscriber gets the error.
    await this.#use?.catch(ignore);
  }
  async #afterRelease<T>(use: Promise<T>): Promise<T> {
    try {
      return await use;
    } finally {
      await this.released();
    }
  }
}
