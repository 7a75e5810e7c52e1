import 'reflect-metadata';
import { Inject, UseInterceptors } from '@nestjs/common';
import { getRedlockToken } from '../redlock.tokens.js';
import type { LockDecorator, TypedWithLock } from './lock-decorator.js';
import type { LockKey } from './key/lock-key.js';
import { setPlan, toPlan, type WithLockOptions } from './run/lock-plan.js';
import { lockMethod } from './locked-method.js';
import { addMessageFilter } from './reply/message-filter.js';
import { interceptorFor } from './redlock.interceptor.js';
import { mistake } from '../engine/codes.js';

/**
 * Runs a method of a controller or provider under a lock. Calls for the same key run one after the other, on all replicas. The method must return
 * a promise or an Observable.
 * @throws TypeError, RangeError when the class is defined, for a malformed key or option
 * @example
 * ```ts
 * @Post()
 * @WithLock('user:<body.email|trim|lower>')
 * async register(@Body() body: RegisterDto) {}
 * ```
 */
export function WithLock<const Key extends LockKey>(key: Key, options: WithLockOptions = {}): LockDecorator<Key> {
  refuseBare(key, options);
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor | undefined) => {
    const owner = typeof target === 'function' ? target : target.constructor;
    const where = `@WithLock on ${owner.name}.${String(name)}`;
    const method: unknown = descriptor?.value;
    if (descriptor === undefined || typeof target === 'function' || typeof method !== 'function') {
      throw mistake(
        'REDLOCK_E08',
        `${where}: only methods of instances can be locked, since Nest injects the service into those`,
      );
    }
    refuseGenerator(method, where);
    const plan = toPlan(key, options, where);
    // Nest shows this name if the module is missing.
    const service = Symbol.for(serviceProperty(plan.pool));
    Inject(getRedlockToken(plan.pool))(target, service);
    const locked = lockMethod({ target, name, method: method as () => unknown, plan, service });
    // First, so that the lock is around the other interceptors of the method.
    UseInterceptors(interceptorFor(plan.pool))(target, name, { ...descriptor, value: locked });
    addMessageFilter(owner);
    copyMetadata(method, locked);
    setPlan(locked, plan);
    descriptor.value = locked;
  };
}

/**
 * Returns a `@WithLock` whose keys the compiler checks. `T` is the type of the body, or an object type with some of body, params, query, headers,
 * user and data.
 * @example
 * ```ts
 * const WithUserLock = createWithLock<RegisterDto>(); // or <{ body: RegisterDto; params: { id: string } }>
 *
 * @Post()
 * @WithUserLock('user:<body.email|trim|lower>')
 * async register(@Body() body: RegisterDto) {}
 * ```
 */
export function createWithLock<T>(): TypedWithLock<T>;
export function createWithLock<T>(...nothing: readonly never[]): TypedWithLock<T> {
  if (nothing.length > 0)
    throw mistake(
      'REDLOCK_E04',
      "createWithLock takes nothing: write const WithUserLock = createWithLock<User>(), and @WithUserLock('...')",
    );
  return WithLock as TypedWithLock<T>;
}

/** Returns the name of the property into which Nest injects the service: its error shows the name if the module is missing. */
export function serviceProperty(pool: string | undefined): string {
  const options = pool === undefined ? '{ nodes }' : `{ name: '${pool}', nodes }`;
  return `@WithLock needs RedlockModule.forRoot(${options}) among the imports of the application`;
}

/** Refuses `@WithLock` without brackets: it is then called with what it stands on, a class, or a class and the name of a member. */
function refuseBare(key: unknown, name: unknown): void {
  const isClass = typeof key === 'function' && /^class\b/.test(Function.prototype.toString.call(key));
  if (!isClass && typeof name !== 'string' && typeof name !== 'symbol') return;
  const owner = typeof key === 'function' ? key : (key as object).constructor;
  throw mistake(
    'REDLOCK_E08',
    `@WithLock on ${owner.name}${typeof name === 'string' || typeof name === 'symbol' ? `.${String(name)}` : ''}: ` +
      "write @WithLock('...') with a key, such as @WithLock('user:<body.email>'), above a method",
  );
}

function refuseGenerator(method: unknown, where: string): void {
  if (!Object.prototype.toString.call(method).endsWith('GeneratorFunction]')) return;
  throw mistake(
    'REDLOCK_E08',
    `${where}: a generator runs when it is read, after the lock is gone; return an Observable instead`,
  );
}

/** Copies what the decorators below this one say about the method to the method that takes its place. */
export function copyMetadata(from: object, to: object): void {
  for (const key of Reflect.getOwnMetadataKeys(from) as unknown[]) {
    const theirs: unknown = Reflect.getOwnMetadata(key, from);
    const ours: unknown = Reflect.getOwnMetadata(key, to);
    const both =
      Array.isArray(ours) && Array.isArray(theirs) ? [...(ours as unknown[]), ...(theirs as unknown[])] : theirs;
    Reflect.defineMetadata(key, both, to);
  }
}
