import { HttpException, HttpStatus } from '@nestjs/common';
import { ServerResponse } from 'node:http';
import type { Client } from './wait-cancellation.js';
import { errorReply } from '../reply/error-reply.js';

/** What the lock needs of a response of Express or Fastify. */
export interface HttpResponse {
  header(name: string, value: string): unknown;
  /** Node's own response, which Fastify has here; a response of Express is one itself. */
  readonly raw?: Client & { readonly headersSent?: boolean };
}

/** Returns Node's own response, below that of the framework. */
export function rawOf(response: HttpResponse): NonNullable<HttpResponse['raw']> {
  // This runs with every request, and looking up a property that Node's response does not have takes long.
  if (response instanceof ServerResponse) return response;
  return response.raw ?? (response as unknown as NonNullable<HttpResponse['raw']>);
}

/** Returns the HTTP equivalent of a lock's error and sets `Retry-After` on the response; returns any other error as it is. */
export function toHttpException(error: unknown, response: HttpResponse): unknown {
  const reply = errorReply(error);
  // A lost lock is a failure of the server: Nest logs it and tells the client nothing.
  if (!reply || reply.status === HttpStatus.INTERNAL_SERVER_ERROR) return error;
  const { code, status, message, retryAfter } = reply;
  // A stream of events has sent its headers before it waits for the lock.
  if (retryAfter !== undefined && !rawOf(response).headersSent) {
    response.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter / 1_000))));
  }
  return new HttpException({ statusCode: status, error: reply.error, message, code }, status, { cause: error });
}
