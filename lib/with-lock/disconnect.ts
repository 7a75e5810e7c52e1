import { HttpException } from '@nestjs/common';
import type { EventEmitter } from 'node:events';

interface RawResponse extends EventEmitter {
  readonly closed?: boolean;
  readonly headersSent?: boolean;
}

/** What the lock needs of a response of Express or Fastify. */
export interface HttpResponse {
  header(name: string, value: string): unknown;
  /** Fastify's way to Node's own response; with Express the response is one. */
  readonly raw?: RawResponse;
}

/** Nginx's number for it; nobody is there to read it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Node's own response below that of the framework. */
export function rawOf(response: HttpResponse): RawResponse {
  return response.raw ?? (response as unknown as RawResponse);
}

/** A signal that aborts when the client goes away, until it is told to ignore that. */
export function onDisconnect(response: HttpResponse): { readonly signal: AbortSignal; readonly ignore: () => void } {
  const raw = rawOf(response);
  const abort = new AbortController();
  const onClose = (): void => abort.abort(new HttpException('The client closed the request', CLIENT_CLOSED_REQUEST));
  raw.once('close', onClose);
  if (raw.closed) onClose();
  return { signal: abort.signal, ignore: () => void raw.removeListener('close', onClose) };
}
