import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestApp } from './test-app.js';

export interface GraphqlError {
  readonly message: string;
  readonly extensions?: Record<string, unknown>;
}

export interface GraphqlReply {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: GraphqlError[];
}

export interface Ask {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Runs one operation over HTTP. */
export async function run(app: TestApp, query: string, options: Ask = {}): Promise<GraphqlReply> {
  const { body } = await app.post('graphql', { query }, options);
  return body as GraphqlReply;
}

const open = new Set<Client>();

/** Subscribes over a WebSocket of its own. */
export function subscribe(app: TestApp, query: string): { events: AsyncIterator<GraphqlReply>; leave(): void } {
  const client = createClient({
    url: `${app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  open.add(client);
  const events = client.iterate({ query }) as AsyncIterator<GraphqlReply>;
  return { events, leave: () => client.terminate() };
}

export async function closeSubscriptions(): Promise<void> {
  for (const client of open) await client.dispose();
  open.clear();
}
