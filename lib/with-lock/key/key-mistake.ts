import { inspect } from 'node:util';
import { briefly } from '../../core/api/stack-trace.js';

/** A mistake of the programmer that only a call shows. No client can correct it, so it is answered with 500 and logged. */
export class KeyMistake extends TypeError {
  /** @internal Prints the error briefly, as errors of locks are printed, and without what a key function returned. */
  [inspect.custom](): string {
    return briefly(this.stack);
  }
}

/** Returns a mistake with the method in which it was made; returns any other error as it is, including the errors that a key function throws. */
export function inMethod(error: unknown, where: string): unknown {
  if (!(error instanceof KeyMistake)) return error;
  return new KeyMistake(`${where}: ${error.message}`, error.cause === undefined ? {} : { cause: error.cause });
}
