import { LinkedList } from '../collections/linked-list.js';

type Listener = (reason: Error) => void;

/** The part of an `AbortSignal` that a wait needs: a caller can provide it without creating a real signal for every call. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Ends many waits at once. Unlike an `AbortSignal`, it adds and removes a listener in constant time. */
export class AbortSource {
  readonly #listeners = new LinkedList<Listener>();
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Calls every listener once. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    while (this.#listeners.length > 0) this.#listeners.shift()!(reason);
  }

  /** Calls `notify` on `stop`; returns a function that removes this listener. */
  listen(notify: Listener): () => void {
    const link = this.#listeners.add(notify);
    return () => this.#listeners.remove(link);
  }
}
