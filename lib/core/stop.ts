type Listener = (reason: Error) => void;

/** Ends waiting for many at once; unlike an `AbortSignal` it takes and lets go of listeners in constant time. */
export class Stop {
  readonly #listeners = new Set<Listener>();
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Tells all listeners once. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const tell of this.#listeners) tell(reason);
    this.#listeners.clear();
  }

  /** Calls `tell` when it stops, unless that is taken back by what this returns. */
  listen(tell: Listener): () => void {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }
}
