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

/** A registered symbol, for two copies of this package. */
export const QUIT: unique symbol = Symbol.for('nestjs-redlock:quit');

/** The options of one call among many that share all but what ends the wait: those are checked once. */
export interface CallOptions {
  /** That nobody changes any more. */
  readonly shared: LockOptions;
  readonly [QUIT]: LazyQuit;
}

/** As ordinary options, for what takes the place of the service, as a double in a test. */
export function asOptions({ shared, [QUIT]: { signal } }: CallOptions): LockOptions {
  return { ...shared, signal };
}
