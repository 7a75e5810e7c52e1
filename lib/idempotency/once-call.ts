import type { Lock } from '../engine/lock.js';
import type { Sql } from './reply-store.js';

/** One run of the work for a key. */
export interface OnceCall {
  /** The key of the call. */
  readonly key: string;
  /** 1 for the first run, and more if earlier runs were interrupted. */
  readonly attempt: number;
  /** 'interrupted' if an earlier run started and did not end, so that its effects are unknown. */
  readonly previous: 'none' | 'interrupted';
  /** The fencing token of the lock. */
  readonly fencingToken: number;
  /** Aborts when the lock is lost. Another run may start then. */
  readonly signal: AbortSignal;
  /** The lock of this run. */
  readonly lock: Lock;
  /**
   * Keeps the reply within your transaction, as its last statement. The database commits the effect and the reply together.
   * @throws IdempotencyError with the code IDEMPOTENCY_SUPERSEDED if a later run has taken over: roll the transaction back;
   * TypeError for a store without transactions
   */
  keepIn(transaction: Sql, value: unknown): Promise<void>;
}
