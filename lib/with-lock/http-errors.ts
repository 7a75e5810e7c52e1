import { HttpException, HttpStatus } from '@nestjs/common';
import type { RedlockError, ResourceLockedError } from '../core/errors.js';
import { rawOf, type HttpResponse } from './disconnect.js';

/** What a client is told. Names of nodes and reasons stay with the cause: they are for logs. */
const REPLIES: Readonly<
  Record<string, { readonly status: HttpStatus; readonly error: string; readonly message?: string }>
> = {
  RESOURCE_LOCKED: {
    status: HttpStatus.CONFLICT,
    error: 'Conflict',
    message: 'Another request is working on this resource',
  },
  QUORUM_NOT_REACHED: {
    status: HttpStatus.SERVICE_UNAVAILABLE,
    error: 'Service Unavailable',
    message: 'The lock service is not available',
  },
  CLOSED: {
    status: HttpStatus.SERVICE_UNAVAILABLE,
    error: 'Service Unavailable',
    message: 'The service is shutting down',
  },
  LOCK_KEY: { status: HttpStatus.BAD_REQUEST, error: 'Bad Request' },
};

/** The HTTP equivalent of a lock's error, with `Retry-After` on the response; any other error as it is. */
export function toHttpException(error: unknown, response: HttpResponse): unknown {
  const { code, message } = (error ?? {}) as Partial<RedlockError>;
  const reply = error instanceof Error && code !== undefined ? REPLIES[code] : undefined;
  if (!reply) return error;
  const seconds = retryAfter(error as RedlockError);
  // A stream of events has sent its headers before it waits for the lock.
  if (seconds !== undefined && !rawOf(response).headersSent) response.header('Retry-After', String(seconds));
  const body = { statusCode: reply.status, error: reply.error, message: reply.message ?? message, code };
  return new HttpException(body, reply.status, { cause: error });
}

/** Whole seconds, as the header has them; undefined where nobody knows. */
function retryAfter(error: RedlockError): number | undefined {
  const ms = (error as Partial<ResourceLockedError>).retryAfter;
  return ms !== undefined && Number.isFinite(ms) ? Math.max(1, Math.ceil(ms / 1_000)) : undefined;
}
