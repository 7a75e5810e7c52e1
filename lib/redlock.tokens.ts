import { Inject } from '@nestjs/common';

/**
 * The method of a service that takes the events of decorators. All symbols here are registered ones, so that two copies
 * of this package share them.
 */
export const EMIT: unique symbol = Symbol.for('nestjs-redlock:emit');
/** The method of a service that runs calls of methods with `@WithLock` under their locks; the options of a method are prepared only once. */
export const WITH_PREPARED: unique symbol = Symbol.for('nestjs-redlock:with-prepared');
/** The method of a service that returns whether the current async context holds a lock on any of the given resources. */
export const HOLDS: unique symbol = Symbol.for('nestjs-redlock:holds');

/** The method of a service that takes the lock of work that is to run once, whose record the votes open. */
export const ACQUIRE_ONCE: unique symbol = Symbol.for('nestjs-redlock:acquire-once');

/** The property of a service that has the records of what was done under its locks. */
export const REGISTER: unique symbol = Symbol.for('nestjs-redlock:register');

/** The method of a service that throws for options, or a number of keys, that no call of a method with `@WithLock` could have. */
export const CHECK: unique symbol = Symbol.for('nestjs-redlock:check');

/** Returns the provider token of the `RedlockService` of a pool. The token is a string, so that two copies of this package agree. */
export function getRedlockToken(name?: string): string {
  return name === undefined ? 'RedlockService' : `RedlockService(${name})`;
}

/** Injects the `RedlockService` of the pool with this name, or of the pool without a name. */
export function InjectRedlock(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getRedlockToken(name));
}
