import { Inject } from '@nestjs/common';

/** Under which a service takes what decorators have to tell; a registered symbol, for two copies of this package. */
export const TELL: unique symbol = Symbol.for('nestjs-redlock:tell');
/** Under which a service takes locks for calls of methods with `@WithLock`. */
export const LOCK_FOR: unique symbol = Symbol.for('nestjs-redlock:lock-for');
/** Under which a service says whether the current async context has a lock on any of these resources. */
export const HOLDS: unique symbol = Symbol.for('nestjs-redlock:holds');

/** Under which a service says what calls of a method with `@WithLock` could never have. */
export const CHECK: unique symbol = Symbol.for('nestjs-redlock:check');

/** The provider token of a pool's `RedlockService`; a string, so that two copies of this package agree on it. */
export function getRedlockToken(name?: string): string {
  return name === undefined ? 'RedlockService' : `RedlockService(${name})`;
}

/** Injects the `RedlockService` of the pool with this name, or of the one without a name. */
export function InjectRedlock(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getRedlockToken(name));
}
