import type { AbortSignalLike } from './abort.js';
import type { Lock } from './lock.js';
import type { LockOptions } from './options.js';

export type Work<T> = (lock: Lock) => T | Promise<T>;

/** One of many calls that share all options except what ends the wait, such as the calls of one method with `@WithLock`. */
export interface SharedCall<T> {
  /** Checked already, except for their number. */
  readonly resources: readonly string[];
  readonly work: Work<T>;
  /** The same object for all of the calls, and unchanged. */
  readonly options: LockOptions;
  /** Ends the wait of this call, in place of the signal of the options. */
  readonly signal: AbortSignalLike | undefined;
  /** Whether the caller goes on without the lock if somebody else holds it; telemetry tells such calls from refused ones. */
  readonly skips: boolean;
}
