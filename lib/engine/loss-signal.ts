import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import type { LockLostError } from './errors.js';

/** Knows whether a lock was lost, and notifies its holder. The `AbortSignal` is created only when somebody asks for it. */
export class LossSignal {
  #error: LockLostError | undefined;
  #abort: AbortController | undefined;
  /** Runs a function in the async context of the code that asked for the signal first. */
  #inContextOfHolder: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  #listeners: Set<(error: LockLostError) => void> | undefined;

  get error(): LockLostError | undefined {
    return this.#error;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      this.#inContextOfHolder = AsyncLocalStorage.snapshot();
      // No limit, because any amount of work under the lock may listen.
      setMaxListeners(0, this.#abort.signal);
      if (this.#error) this.#abort.abort(this.#error);
    }
    return this.#abort.signal;
  }

  /** Calls `notify` when the lock is lost, or at once if it is lost already; returns the function that removes the listener. */
  listen(notify: (error: LockLostError) => void): () => void {
    const listeners = (this.#listeners ??= new Set());
    listeners.add(notify);
    if (this.#error) notify(this.#error);
    return () => void listeners.delete(notify);
  }

  /** Records that the lock is lost, calls `first`, and then notifies the listeners. */
  happen(error: LockLostError, first: () => void): void {
    this.#error = error;
    first();
    // A timer or a reply finds the loss, in the context of whatever code it belongs to.
    this.#inContextOfHolder?.(() => this.#abort!.abort(error));
    for (const notify of this.#listeners ?? []) notify(error);
  }
}
