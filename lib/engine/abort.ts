type Listener = (reason: Error) => void;

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
  readonly #listeners = new Set<Listener>();
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Calls every listener once. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const notify of this.#listeners) notify(reason);
    this.#listeners.clear();
  }

  /** Calls `notify` on `stop`; returns a function that removes this listener. */
  listen(notify: Listener): () => void {
    // A function of its own, since somebody may listen twice.
    const listener: Listener = (reason) => notify(reason);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
