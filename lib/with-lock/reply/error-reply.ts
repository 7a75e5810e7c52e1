import { HttpStatus } from '@nestjs/common';
import { isLockError, type RedlockErrorCode, type ResourceLockedError } from '../../engine/errors.js';

/** What a client sees. Reasons, and names of nodes, resources and parts of keys stay with the cause: they are for logs. */
export interface ErrorReply {
  readonly code: RedlockErrorCode;
  readonly status: HttpStatus;
  /** The name of the status. */
  readonly error: string;
  readonly message: string;
  /** Ms after which to try again, if that is known. */
  readonly retryAfter: number | undefined;
}

type Words = Pick<ErrorReply, 'status' | 'error' | 'message'>;

const UNAVAILABLE = { status: HttpStatus.SERVICE_UNAVAILABLE, error: 'Service Unavailable' };

const WORDS: Readonly<Record<string, Words>> = {
  RESOURCE_LOCKED: {
    status: HttpStatus.CONFLICT,
    error: 'Conflict',
    message: 'Another request is working on this resource',
  },
  QUORUM_NOT_REACHED: { ...UNAVAILABLE, message: 'The lock service is not available' },
  CLOSED: { ...UNAVAILABLE, message: 'The service is shutting down' },
  LOCK_KEY: {
    status: HttpStatus.BAD_REQUEST,
    error: 'Bad Request',
    // Nothing of the template, which is internal, and nothing of a value, which may belong to anybody.
    message: 'A value that this request needs is missing or not usable',
  },
  LOCK_LOST: {
    status: HttpStatus.INTERNAL_SERVER_ERROR,
    error: 'Internal Server Error',
    message: 'The request was interrupted and may be incomplete. Check before you try again',
  },
};

/** Returns the reply to a lock's error; undefined for any other error, also if that has the code of a lock's error. */
export function errorReply(error: unknown): ErrorReply | undefined {
  if (!isLockError(error)) return undefined;
  const { code } = error;
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words && { ...words, code, retryAfter: retryAfterOf(error) };
}

function retryAfterOf(error: Error): number | undefined {
  const { retryAfter } = error as Partial<ResourceLockedError>;
  return retryAfter !== undefined && Number.isFinite(retryAfter) ? retryAfter : undefined;
}

/** What clients of transports other than HTTP get besides the message; durations are in ms. */
export type ErrorDetails = Pick<ErrorReply, 'code'> & { readonly retryAfter?: number };

export function detailsOf({ code, retryAfter }: ErrorReply): ErrorDetails {
  return { code, ...(retryAfter !== undefined && { retryAfter: Math.ceil(retryAfter) }) };
}
