import { HttpException, HttpStatus } from '@nestjs/common';
import { ServerResponse } from 'node:http';
import type { Client } from './client-connection.js';
import { replyTo } from '../reply/replies.js';

/** What the lock needs of a response of Express or Fastify. */
export interface HttpResponse {
  header(name: string, value: string): unknown;
  /** Fastify's way to Node's own response; with Express the response is one. */
  readonly raw?: Client & { readonly headersSent?: boolean };
}

/** Node's own response below that of the framework. */
export function rawOf(response: HttpResponse): NonNullable<HttpResponse['raw']> {
  // With every request: looking for what a response of Node has not takes long.
  if (response instanceof ServerResponse) return response;
  return response.raw ?? (response as unknown as NonNullable<HttpResponse['raw']>);
}

/** The HTTP equivalent of a lock's error, with `Retry-After` on the response; any other error as it is. */
export function toHttpException(error: unknown, response: HttpResponse): unknown {
  const reply = replyTo(error);
  // A lost lock is a failure of the server: Nest says so in the log, and nothing to the client.
  if (!reply || reply.status === HttpStatus.INTERNAL_SERVER_ERROR) return error;
  const { code, status, message, retryAfter } = reply;
  // A stream of events has sent its headers before it waits for the lock.
  if (retryAfter !== undefined && !rawOf(response).headersSent) {
    response.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter / 1_000))));
  }
  return new HttpException({ statusCode: status, error: reply.error, message, code }, status, { cause: error });
}
