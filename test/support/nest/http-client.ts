import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Reply {
  readonly status: number;
  /** Parsed where it is JSON. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Breaks the connection, as a client that goes away does. */
  readonly signal?: AbortSignal;
}

/** Sends a request over a connection of its own, and resolves with the head of the answer. */
export async function open(
  url: string,
  { method, headers, body, signal }: RequestOptions = {},
): Promise<IncomingMessage> {
  const outgoing = request(url, {
    agent: false,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(signal && { signal }),
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

export async function send(url: string, options?: RequestOptions): Promise<Reply> {
  const response = await open(url, options);
  const raw = await text(response);
  return { status: response.statusCode!, body: parsed(raw), headers: response.headers };
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return raw;
  }
}
