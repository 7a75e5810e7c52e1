/** The codes of an `IdempotencyError`. Compare these to tell the reasons apart. */
export type IdempotencyErrorCode =
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_KEY_MISSING'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'IDEMPOTENCY_OUTCOME_UNKNOWN'
  | 'IDEMPOTENCY_REPLY_NOT_KEPT'
  | 'IDEMPOTENCY_REPLY_UNREADABLE'
  | 'IDEMPOTENCY_STORE_UNAVAILABLE'
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
  IDEMPOTENCY_STORE_UNAVAILABLE: 'The store of the replies does not answer; nothing has run, ask again later',
  IDEMPOTENCY_SUPERSEDED: 'A later attempt has taken over; this one must not commit',
};

const MARK = Symbol.for('nestjs-redlock:idempotency-error');

/** Why a call with an idempotency key neither ran nor got an earlier reply. */
export class IdempotencyError extends Error {
  /** The name of the class. */
  override readonly name = 'IdempotencyError';
  /** Ms after which to try again. Undefined if another try gives the same answer. */
  readonly retryAfter: number | undefined;
  /** The kept headers of the earlier reply. */
  readonly headers: readonly (readonly [string, string])[];
  readonly #key: string;

  constructor(
    /** Which reason this is. */
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

  /** The full key. The property is not enumerable, so that loggers leave the key out. */
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
