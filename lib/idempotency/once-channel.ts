import { type OnceMessage, type OnceOutcome, onces } from '../engine/channels.js';
import { isLockError } from '../engine/errors.js';
import { IdempotencyError, type IdempotencyErrorCode } from './idempotency.errors.js';

/** The message while it is filled in. */
export type OnceNote = { -readonly [Name in keyof OnceMessage]: OnceMessage[Name] };

const BY_CODE: Readonly<Partial<Record<IdempotencyErrorCode, OnceOutcome>>> = {
  IDEMPOTENCY_KEY_REUSED: 'reused',
  IDEMPOTENCY_IN_PROGRESS: 'in_progress',
  IDEMPOTENCY_OUTCOME_UNKNOWN: 'unknown',
  IDEMPOTENCY_REPLY_NOT_KEPT: 'not_kept',
  IDEMPOTENCY_REPLY_UNREADABLE: 'unreadable',
  IDEMPOTENCY_STORE_UNAVAILABLE: 'unavailable',
};

/** Publishes the call while it runs, without its result, which may be a reply; `work` writes the outcome into the note. */
export async function observed<T>(note: OnceNote, work: () => Promise<T>): Promise<T> {
  if (!onces.hasSubscribers) return work();
  let result: T;
  await onces.tracePromise(async () => {
    try {
      result = await work();
    } catch (error) {
      note.outcome = outcomeOf(error);
      throw error;
    }
  }, note);
  return result!;
}

function outcomeOf(error: unknown): OnceOutcome {
  if (error instanceof IdempotencyError) return BY_CODE[error.code] ?? 'error';
  return isLockError(error) ? 'unavailable' : 'error';
}
