import { setMaxListeners } from 'node:events';
import type { LockLostError } from './errors.js';

/** Whether a lock was lost, and the signal that tells its holder; made when somebody asks for it. */
export class Loss {
  #error: LockLostError | undefined;
  #abort: AbortController | undefined;

  get error(): LockLostError | undefined {
    return this.#error;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // As many as work under the lock may listen.
      setMaxListeners(0, this.#abort.signal);
      if (this.#error) this.#abort.abort(this.#error);
    }
    return this.#abort.signal;
  }

  happen(error: LockLostError): void {
    this.#error = error;
    this.#abort?.abort(error);
  }
}
