import { HttpException } from '@nestjs/common';
import type { EventEmitter } from 'node:events';

/** The end of a connection whose other end waits for an answer: a response of Node, or a socket. */
export interface Client extends EventEmitter {
  readonly closed?: boolean;
  /** A number with sockets of the `ws` package. */
  readonly readyState?: unknown;
}

/** Nginx's number for it; nobody is there to read it. */
const CLIENT_CLOSED_REQUEST = 499;
/** Of a WebSocket, as the platform numbers its states. */
const CLOSING = 2;
const LEAVING = Symbol.for('nestjs-redlock:leaving');

/** Why a call waits no longer. */
export function departed(): Error {
  return new HttpException('The client closed the request', CLIENT_CLOSED_REQUEST);
}

export function isGone(client: Client): boolean {
  // With every request: looking for what a response has not costs more than all else here.
  if (client.closed !== undefined) return client.closed;
  const { readyState } = client;
  return typeof readyState === 'number' && readyState >= CLOSING;
}

/** Calls back when the client goes away; returns what ends that. */
export function onLeaving(client: Client, listener: () => void): () => void {
  const shared = client as Client & { [LEAVING]?: Leaving };
  const leaving = (shared[LEAVING] ??= new Leaving(client));
  leaving.add(listener);
  return () => leaving.delete(listener);
}

/** One connection may carry any number of calls, and Node warns of more than ten listeners: this is one for all of them. */
class Leaving {
  readonly #listeners = new Set<() => void>();
  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };

  constructor(private readonly client: Client) {}

  add(listener: () => void): void {
    if (this.#listeners.size === 0) this.client.once('close', this.#tell);
    this.#listeners.add(listener);
  }

  delete(listener: () => void): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.client.removeListener('close', this.#tell);
  }
}
