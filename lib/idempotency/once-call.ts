import type { Lock } from '../engine/lock.js';
import type { Sql } from './reply-store.js';

/** One run of the work for a key. */
export interface OnceCall {
  readonly key: string;
  /** 1 for the first run; more if earlier ones were interrupted. */
  readonly attempt: number;
  /** 'interrupted' if an earlier attempt has begun, and nobody knows how far it came. */
  readonly previous: 'none' | 'interrupted';
  readonly fencingToken: number;
  /** Aborts when the lock is lost: another attempt may run then. */
  readonly signal: AbortSignal;
  readonly lock: Lock;
  /**
   * Keeps the reply within a transaction of the application, as its last statement: the effect and the reply are committed together, or none of them.
   * @throws IdempotencyError IDEMPOTENCY_SUPERSEDED: a later attempt has taken over, and the transaction must be rolled back;
   * TypeError for a store that is no database
   */
  keepIn(transaction: Sql, value: unknown): Promise<void>;
}
