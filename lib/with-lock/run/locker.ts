import type { CallOptions } from '../../core/api/call-options.js';
import type { LockEvent } from '../../core/api/events.js';
import type { Lock } from '../../core/api/lock.js';
import type { LockOptions } from '../../core/api/options.js';
import type { HOLDS, LOCK_FOR, TELL } from '../../redlock.tokens.js';
import type { ExceptionFactory } from '../reply/exception-factory.js';
import type { Client } from '../transport/client-connection.js';
import type { WaitCancellation } from '../transport/wait-cancellation.js';
import type { LockPlan } from './lock-plan.js';

/** What a lock is taken from: a `RedlockService`, or what a test puts in its place, which may give no lock. */
export interface Locker {
  withLock<T>(
    resource: readonly string[],
    work: (lock: Lock | undefined) => Promise<T>,
    options?: LockOptions,
  ): Promise<T>;
  /** The same for calls that share their options, where it is a real one. */
  [LOCK_FOR]?<T>(
    resource: readonly string[],
    work: (lock: Lock | undefined) => Promise<T>,
    call: CallOptions,
  ): Promise<T>;
  /** Takes what happens to calls, where anybody wants to know. */
  [TELL]?(event: LockEvent): void;
  /** Makes what handlers throw in the place of errors of its locks. */
  readonly exceptionFactory?: ExceptionFactory | undefined;
  /** Whether the current async context has a lock on any of these. */
  [HOLDS]?(resources: readonly string[]): boolean;
}

export interface LockedRun {
  readonly locker: Locker;
  readonly plan: LockPlan;
  /** The class whose method it is: others may have inherited the same one. */
  readonly owner?: unknown;
  /** Names the resources; may throw a `LockKeyError`. */
  readonly resources: () => readonly string[];
  /** Turns an error of the lock into what the caller is to see. Errors of the work pass untouched. */
  readonly toReply?: ((error: unknown) => unknown) | undefined;
  /** What ends the wait. */
  readonly signal?: AbortSignal | WaitCancellation | undefined;
  /** Whose going away ends the wait, too. */
  readonly client?: Client | undefined;
}
