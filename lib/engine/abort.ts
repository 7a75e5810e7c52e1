interface Listener {
  readonly notify: (reason: Error) => void;
  /** Its place in the list. */
  at: number;
}

/** The part of an `AbortSignal` that a wait needs: a caller can provide it without creating a real signal for every call. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Ends many waits at once. Every call listens for a moment, so this is no `Set`: each table of a `Set` keeps the next one alive, with all that it
 * held, until a full garbage collection.
 */
export class AbortSource {
  readonly #listeners: Listener[] = [];
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Calls every listener once. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners.slice()) {
      // One before it may have removed this one.
      if (this.#listeners[listener.at] !== listener) continue;
      this.#remove(listener);
      listener.notify(reason);
    }
  }

  /** Calls `notify` on `stop`; returns a function that removes this listener. */
  listen(notify: (reason: Error) => void): () => void {
    const listener = { notify, at: this.#listeners.length };
    this.#listeners.push(listener);
    return () => this.#remove(listener);
  }

  /** The last one takes its place. */
  #remove(listener: Listener): void {
    if (this.#listeners[listener.at] !== listener) return;
    const last = this.#listeners.pop()!;
    if (last === listener) return;
    this.#listeners[listener.at] = last;
    last.at = listener.at;
  }
}
