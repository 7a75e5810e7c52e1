import { Queue } from '../collections/queue.js';

type Listener = (reason: Error) => void;

/** What ends a wait: of an `AbortSignal` as much as a wait needs, for those who would have to make one for every call. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Ends waiting for many at once; unlike an `AbortSignal` it takes and lets go of listeners in constant time. */
export class AbortSource {
  readonly #listeners = new Queue<Listener>();
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Tells all listeners once. */
  stop(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    while (this.#listeners.length > 0) this.#listeners.shift()!(reason);
  }

  /** Calls `tell` when it stops, unless that is taken back by what this returns. */
  listen(tell: Listener): () => void {
    return this.#listeners.add(tell);
  }
}
