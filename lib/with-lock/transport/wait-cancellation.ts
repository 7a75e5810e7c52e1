import type { AbortSignalLike } from '../../engine/abort.js';
import { HttpException } from '@nestjs/common';
import { type EventEmitter, setMaxListeners } from 'node:events';

/**
 * Ends the wait of one call for its lock: by a source from outside, or when nobody listens to the call any more. It listens to no source
 * before the call has to wait.
 */
export class WaitCancellation implements AbortSignalLike {
  #state: 'waiting' | 'cancelled' | 'over' = 'waiting';
  #reason: unknown;
  #abort: AbortController | undefined;
  readonly #stops: (() => void)[] = [];

  constructor(
    private readonly sources: {
      readonly client?: Client | undefined;
      readonly signals?: readonly (AbortSignalLike | undefined)[];
    } = {},
  ) {}

  get aborted(): boolean {
    const { client, signals } = this.sources;
    if (this.#state === 'waiting') {
      const signal = signals?.find((one) => one?.aborted);
      if (signal) this.cancel(() => signal.reason);
      else if (client && isDisconnected(client)) this.cancel();
    }
    return this.#state === 'cancelled';
  }

  get reason(): unknown {
    return this.aborted ? this.#reason : undefined;
  }

  /** A real signal, which is made only if it is read. */
  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    const abort = (this.#abort = new AbortController());
    setMaxListeners(0, abort.signal);
    if (this.aborted) abort.abort(this.#reason);
    else if (this.#state === 'waiting') this.#listen();
    return abort.signal;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.#reason;
  }

  addEventListener(type: 'abort', listener: () => void): void {
    this.signal.addEventListener(type, listener);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    this.#abort?.signal.removeEventListener(type, listener);
  }

  /** Ends the wait with a reason; has no effect once the wait is over. */
  cancel(toReason: () => unknown = disconnected): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'cancelled';
    this.#reason = toReason();
    this.#listenNoLonger();
    this.#abort?.abort(this.#reason);
  }

  /** Marks the wait as over and stops listening to all sources. */
  end(): void {
    if (this.#state === 'waiting') this.#state = 'over';
    this.#listenNoLonger();
  }

  #listen(): void {
    const { client, signals = [] } = this.sources;
    if (client) this.#stops.push(onDisconnect(client, () => this.cancel()));
    for (const signal of signals) {
      if (!signal) continue;
      // Many calls may share a signal.
      if (signal instanceof AbortSignal) setMaxListeners(Infinity, signal);
      const cancel = (): void => this.cancel(() => signal.reason);
      signal.addEventListener('abort', cancel);
      this.#stops.push(() => signal.removeEventListener('abort', cancel));
    }
  }

  #listenNoLonger(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}

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

function isDisconnected(client: Client): boolean {
  // This runs with every request, and looking up a property that a response does not have costs more than all else here.
  if (client.closed !== undefined) return client.closed;
  const { readyState } = client;
  return typeof readyState === 'number' && readyState >= CLOSING;
}

type Listeners = Set<() => void> & { notify?: () => void };

/** Calls `listener` when the client goes away; returns the function that stops that. */
function onDisconnect(client: Client, listener: () => void): () => void {
  // One listener for all calls on a connection: they may be any number, and Node warns of more than ten listeners.
  const shared = client as Client & { [LISTENERS]?: Listeners };
  const listeners: Listeners = (shared[LISTENERS] ??= new Set());
  const notify = (listeners.notify ??= () => listeners.forEach((one) => one()));
  if (listeners.size === 0) client.once('close', notify);
  listeners.add(listener);
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) client.removeListener('close', notify);
  };
}
