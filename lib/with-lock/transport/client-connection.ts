import { HttpException } from '@nestjs/common';
import type { EventEmitter } from 'node:events';

/** The connection to a client that waits for an answer: a response of Node, or a socket. */
export interface Client extends EventEmitter {
  readonly closed?: boolean;
  /** A number with sockets of the `ws` package. */
  readonly readyState?: unknown;
}

/** The status that nginx uses for this case; no client is left to read it. */
const CLIENT_CLOSED_REQUEST = 499;
/** The state of a WebSocket that is closing, in the numbers of the platform. */
const CLOSING = 2;
const LISTENERS = Symbol.for('nestjs-redlock:disconnect-listeners');

/** Returns the reason why a call no longer waits. */
export function disconnected(): Error {
  return new HttpException('The client closed the request', CLIENT_CLOSED_REQUEST);
}

export function isDisconnected(client: Client): boolean {
  // This runs with every request, and looking up a property that a response does not have costs more than all else here.
  if (client.closed !== undefined) return client.closed;
  const { readyState } = client;
  return typeof readyState === 'number' && readyState >= CLOSING;
}

/** Calls `listener` when the client goes away; returns the function that stops that. */
export function onDisconnect(client: Client, listener: () => void): () => void {
  const shared = client as Client & { [LISTENERS]?: DisconnectListeners };
  const listeners = (shared[LISTENERS] ??= new DisconnectListeners(client));
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** One listener for all calls on a connection: they may be any number, and Node warns of more than ten listeners. */
class DisconnectListeners {
  readonly #listeners = new Set<() => void>();
  readonly #notify = (): void => {
    for (const listener of this.#listeners) listener();
  };

  constructor(private readonly client: Client) {}

  add(listener: () => void): void {
    if (this.#listeners.size === 0) this.client.once('close', this.#notify);
    this.#listeners.add(listener);
  }

  delete(listener: () => void): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0)
      this.client.removeListener('close', this.#notify);
  }
}
