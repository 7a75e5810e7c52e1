import type { AbortSignalLike } from '../time/abort.js';
import type { LockOptions } from './options.js';

/** A `AbortSignalLike` that becomes a signal where somebody asks for one. */
export interface LazyAbortSignal extends AbortSignalLike {
  readonly signal: AbortSignal;
}

/** A registered symbol, for two copies of this package. */
export const ABORT: unique symbol = Symbol.for('nestjs-redlock:abort-signal');

/** The options of one call among many that share all but what ends the wait: those are checked once. */
export interface CallOptions {
  /** That nobody changes any more. */
  readonly shared: LockOptions;
  readonly [ABORT]: LazyAbortSignal;
}

/** As ordinary options, for what takes the place of the service, as a double in a test. */
export function asOptions({ shared, [ABORT]: { signal } }: CallOptions): LockOptions {
  return { ...shared, signal };
}
