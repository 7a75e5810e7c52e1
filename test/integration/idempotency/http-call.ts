import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawCall {
  readonly key?: string | readonly string[] | undefined;
  /** Null for nobody. */
  readonly user?: string | null;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends a request, and resolves with the bytes of the answer. */
export async function call(url: string, path: string, options: RawCall = {}): Promise<RawReply> {
  const { key, user = 'ann', method = 'POST', body = '{}', headers, signal } = options;
  const outgoing = request(`${url}/${path}`, {
    agent: false,
    method,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(user !== null && { 'x-user': user }),
      ...(key !== undefined && { 'idempotency-key': key as string }),
      ...headers,
    },
    ...(signal && { signal }),
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  return { status: response.statusCode!, headers: response.headers, text: bytes.toString('latin1') };
}

export const codeOf = ({ text }: RawReply): unknown => (JSON.parse(text) as { code?: unknown }).code;
