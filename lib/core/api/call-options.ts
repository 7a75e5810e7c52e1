import type { AbortSignalLike } from '../time/abort.js';
import type { LockOptions } from './options.js';

/** An `AbortSignalLike` that creates a real `AbortSignal` only when `signal` is read. */
export interface LazyAbortSignal extends AbortSignalLike {
  readonly signal: AbortSignal;
}

/** A registered symbol, which two copies of this package share. */
export const ABORT: unique symbol = Symbol.for('nestjs-redlock:abort-signal');

/** The options of one call among many that share all options except what ends the wait: the shared options are checked once. */
export interface CallOptions {
  /** Options that must not change any more. */
  readonly shared: LockOptions;
  readonly [ABORT]: LazyAbortSignal;
}

/** Returns ordinary options, for an object that takes the place of the service, such as a double in a test. */
export function asOptions({ shared, [ABORT]: { signal } }: CallOptions): LockOptions {
  return { ...shared, signal };
}
