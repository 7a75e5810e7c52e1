import type { LockOptions } from './options.js';

/** What ends a wait: of an `AbortSignal` as much as a wait needs, for those who would have to make one for every call. */
export interface Quit {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A `Quit` that becomes a signal where somebody asks for one. */
export interface LazyQuit extends Quit {
  readonly signal: AbortSignal;
}

/**
 * The options of one call among many that share all but what ends the wait: those are checked once, and no signal is made for a
 * call that waits for nothing. Anybody else sees ordinary options.
 */
export class CallOptions implements LockOptions {
  readonly #shared: LockOptions;
  readonly #quit: LazyQuit;

  /** @param shared that nobody changes any more */
  constructor(shared: LockOptions, quit: LazyQuit) {
    this.#shared = shared;
    this.#quit = quit;
    const { signal: _end, ...others } = shared;
    Object.assign(this, others);
  }

  get shared(): LockOptions {
    return this.#shared;
  }

  get quit(): Quit {
    return this.#quit;
  }

  get signal(): AbortSignal {
    return this.#quit.signal;
  }
}
