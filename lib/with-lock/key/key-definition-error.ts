import { inspect } from 'node:util';
import { briefly } from '../../engine/stack-trace.js';

/** A wrong definition of a key that only a call shows. No client can correct it, so it is answered with 500 and logged. */
export class KeyDefinitionError extends TypeError {
  /** @internal Prints the error briefly, as errors of locks are printed, and without what a key function returned. */
  [inspect.custom](): string {
    return briefly(this.stack);
  }
}

/** Adds the name of the method to a `KeyDefinitionError`. Returns any other error unchanged, including errors that a key function throws. */
export function inMethod(error: unknown, where: string): unknown {
  if (!(error instanceof KeyDefinitionError)) return error;
  return new KeyDefinitionError(`${where}: ${error.message}`, error.cause === undefined ? {} : { cause: error.cause });
}
