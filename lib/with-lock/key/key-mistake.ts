import { inspect } from 'node:util';
import { briefly } from '../../core/api/stack-trace.js';

/** A mistake of the programmer that only a call shows. No client can correct it: it is answered by 500, and is in the log. */
export class KeyMistake extends TypeError {
  /** @internal Short, as errors of locks are, and without what a key function returned. */
  [inspect.custom](): string {
    return briefly(this.stack);
  }
}

/** The same mistake, with the method that it was made in; any other error as it is, also of a key function itself. */
export function inMethod(error: unknown, where: string): unknown {
  if (!(error instanceof KeyMistake)) return error;
  return new KeyMistake(`${where}: ${error.message}`, error.cause === undefined ? {} : { cause: error.cause });
}
