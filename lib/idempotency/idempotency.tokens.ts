import { Inject } from '@nestjs/common';

/** Returns the provider token of the `Idempotency` of a pool. The token is a string, so that two copies of this package agree. */
export function getIdempotencyToken(name?: string): string {
  return name === undefined ? 'Idempotency' : `Idempotency(${name})`;
}

/** Injects the `Idempotency` of the pool with this name, or of the pool without a name. */
export function InjectIdempotency(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getIdempotencyToken(name));
}
