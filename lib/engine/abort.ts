import { ChurnMap } from './churn-map.js';

/** The part of an `AbortSignal` that a wait needs: a caller can provide it without creating a real signal for every call. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Ends many waits at once. */
export class AbortSource {
  /** By a key of their own, since one function may listen twice. */
  readonly #listeners = new ChurnMap<object, (reason: Error) => void>();
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Calls every listener once. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    // One before it may have removed this one.
    for (const [key, notify] of this.#listeners.entries()) if (this.#listeners.delete(key)) notify(reason);
  }

  /** Calls `notify` on `stop`; returns a function that removes this listener. */
  listen(notify: (reason: Error) => void): () => void {
    const key = {};
    this.#listeners.set(key, notify);
    return () => void this.#listeners.delete(key);
  }
}
