export type IdempotencyErrorCode =
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_KEY_MISSING'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'IDEMPOTENCY_OUTCOME_UNKNOWN'
  | 'IDEMPOTENCY_REPLY_NOT_KEPT'
  | 'IDEMPOTENCY_REPLY_UNREADABLE'
  | 'IDEMPOTENCY_SUPERSEDED';

const MESSAGES: Readonly<Record<IdempotencyErrorCode, string>> = {
  IDEMPOTENCY_IN_PROGRESS: 'An equal call is still running; ask again later',
  IDEMPOTENCY_KEY_REUSED: 'This idempotency key was used for another request; take a new key for a new request',
  IDEMPOTENCY_KEY_MISSING: 'This request needs an Idempotency-Key header',
  IDEMPOTENCY_KEY_INVALID: 'The Idempotency-Key header must be one text of 1 to 255 printable ASCII characters',
  IDEMPOTENCY_OUTCOME_UNKNOWN:
    'An earlier attempt was interrupted, and what it did is not known; find out before you ask with a new key',
  IDEMPOTENCY_REPLY_NOT_KEPT: 'An earlier attempt has ended, and its reply could not be kept',
  IDEMPOTENCY_REPLY_UNREADABLE: 'The reply of an earlier attempt cannot be read',
  IDEMPOTENCY_SUPERSEDED: 'A later attempt has taken over; this one must not commit',
};

const MARK = Symbol.for('nestjs-redlock:idempotency-error');

/** Why a call with an idempotency key did not run, and got no earlier reply. Tell the reasons apart by `code`. */
export class IdempotencyError extends Error {
  override readonly name = 'IdempotencyError';
  /** Ms after which to ask again; undefined if that would change nothing. */
  readonly retryAfter: number | undefined;
  /** Headers of the earlier reply, as far as they were kept. */
  readonly headers: readonly (readonly [string, string])[];
  readonly #key: string;

  constructor(
    readonly code: IdempotencyErrorCode,
    key: string,
    details: {
      readonly retryAfter?: number;
      readonly headers?: readonly (readonly [string, string])[];
      readonly cause?: unknown;
      /** In place of the usual message. */
      readonly message?: string;
    } = {},
  ) {
    super(details.message ?? MESSAGES[code], details.cause === undefined ? undefined : { cause: details.cause });
    this.retryAfter = details.retryAfter;
    this.headers = details.headers ?? [];
    this.#key = key;
  }

  /** The full key. Not enumerable, because loggers print enumerable properties. */
  get key(): string {
    return this.#key;
  }

  /** @internal */
  get [MARK](): boolean {
    return true;
  }

  /** @internal Recognises errors of another copy of this package, too. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && MARK in error;
  }
}
