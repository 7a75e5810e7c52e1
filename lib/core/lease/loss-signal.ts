import { setMaxListeners } from 'node:events';
import type { LockLostError } from '../api/errors.js';

/** Whether a lock was lost, and the signal that tells its holder; made when somebody asks for it. */
export class LossSignal {
  #error: LockLostError | undefined;
  #abort: AbortController | undefined;
  #listeners: Set<(error: LockLostError) => void> | undefined;

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

  /** Calls `tell` once it happens, or now where it has; returns what takes that back. */
  listen(tell: (error: LockLostError) => void): () => void {
    const listeners = (this.#listeners ??= new Set());
    listeners.add(tell);
    if (this.#error) tell(this.#error);
    return () => void listeners.delete(tell);
  }

  /** From now on it is lost; who listens is told after `first`. */
  happen(error: LockLostError, first: () => void): void {
    this.#error = error;
    first();
    this.#abort?.abort(error);
    for (const tell of this.#listeners ?? []) tell(error);
  }
}
