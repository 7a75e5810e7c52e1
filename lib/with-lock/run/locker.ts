import type { CallOptions } from '../../core/api/call-options.js';
import type { LockEvent } from '../../core/api/events.js';
import type { Lock } from '../../core/api/lock.js';
import type { LockOptions } from '../../core/api/options.js';
import type { HOLDS, LOCK_FOR, EMIT } from '../../redlock.tokens.js';
import type { ExceptionFactory } from '../reply/exception-factory.js';
import type { Client } from '../transport/client-connection.js';
import type { WaitCancellation } from '../transport/wait-cancellation.js';
import type { LockPlan } from './lock-plan.js';

/** Takes locks: a `RedlockService`, or a test double of it, which may give no lock to the work. */
export interface Locker {
  withLock<T>(
    resource: readonly string[],
    work: (lock: Lock | undefined) => Promise<T>,
    options?: LockOptions,
  ): Promise<T>;
  /** Does the same for calls that share their options; only a real service has it. */
  [LOCK_FOR]?<T>(
    resource: readonly string[],
    work: (lock: Lock | undefined) => Promise<T>,
    call: CallOptions,
  ): Promise<T>;
  /** Takes events about calls; a test double may lack it. */
  [EMIT]?(event: LockEvent): void;
  /** Makes what handlers throw instead of errors of locks. */
  readonly exceptionFactory?: ExceptionFactory | undefined;
  /** Returns whether the current async context holds a lock on any of these resources. */
  [HOLDS]?(resources: readonly string[]): boolean;
}

export interface LockedRun {
  readonly locker: Locker;
  readonly plan: LockPlan;
  /** The class to which the method belongs: other classes may have inherited the same method. */
  readonly owner?: unknown;
  /** Names the resources; may throw a `LockKeyError`. */
  readonly resources: () => readonly string[];
  /** Turns an error of the lock into what the caller is to see. Errors of the work pass untouched. */
  readonly toReply?: ((error: unknown) => unknown) | undefined;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal | WaitCancellation | undefined;
  /** The client: the wait for the lock also ends when it goes away. */
  readonly client?: Client | undefined;
}
