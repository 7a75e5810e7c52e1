import { Inject } from '@nestjs/common';

/** The provider token of a pool's `RedlockService`; a string, so that two copies of this package agree on it. */
export function getRedlockToken(name?: string): string {
  return name === undefined ? 'RedlockService' : `RedlockService(${name})`;
}

/** Injects the `RedlockService` of the pool with this name, or of the one without a name. */
export function InjectRedlock(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getRedlockToken(name));
}
