import type { LockEvent } from '../../engine/events.js';
import type { Lock } from '../../engine/lock.js';
import type { LockOptions } from '../../engine/options.js';
import type { PreparedCall } from '../../engine/redlock.js';
import { type EMIT, type HOLDS, WITH_PREPARED } from '../../redlock.tokens.js';
import type { ExceptionFactory } from '../reply/exceptions.js';
import type { WaitCancellation } from '../transport/wait-cancellation.js';

type AsyncWork<T> = (lock: Lock | undefined) => Promise<T>;

/** A `RedlockService`, or a test double of it, which may give no lock to the work. */
export interface LockService {
  withLock<T>(resource: readonly string[], work: AsyncWork<T>, options?: LockOptions): Promise<T>;
  /** Does the same for calls that share their options; undefined if `withLock` is not that of a real service. */
  readonly [WITH_PREPARED]?: (<T>(call: PreparedCall<T>) => Promise<T>) | undefined;
  /** Takes events about calls; a test double may lack it. */
  [EMIT]?(event: LockEvent): void;
  /** Returns whether the current async context holds a lock on any of these resources. */
  [HOLDS]?(resources: readonly string[]): boolean;
  /** Makes what handlers throw instead of errors of locks. */
  readonly exceptionFactory?: ExceptionFactory | undefined;
}

interface LockCallOf<T> {
  readonly resources: readonly string[];
  readonly work: AsyncWork<T>;
  readonly options: LockOptions;
  readonly signal: WaitCancellation | undefined;
  readonly skips: boolean;
}

/** Runs the work of one call under its lock; makes an `AbortSignal` only if `withLock` is not that of a real service. */
export function withLockOf<T>(service: LockService, call: LockCallOf<T>): Promise<T> {
  const shared = service[WITH_PREPARED];
  if (shared) return shared(call);
  const { resources, work, options, signal } = call;
  return service.withLock(resources, work, signal ? { ...options, signal: signal.signal } : options);
}
