import type { AbortSignalLike } from '../../engine/abort.js';
import { disconnected, isDisconnected, onDisconnect, type Client } from './client-connection.js';

/** What ends the wait for a lock from outside: a client that goes away, and signals that abort. */
export interface CancelSources {
  readonly client?: Client | undefined;
  readonly signals?: readonly (AbortSignalLike | undefined)[];
}

/**
 * Ends the wait of one call for its lock: by a source from outside, or when nobody listens to the call any more. It listens to no source
 * before the call has to wait.
 */
export class WaitCancellation implements AbortSignalLike {
  #state: 'waiting' | 'cancelled' | 'over' = 'waiting';
  #reason: unknown;
  #abort: AbortController | undefined;
  #stops: (() => void)[] | undefined;

  constructor(private readonly sources: CancelSources = {}) {}

  get aborted(): boolean {
    if (this.#state === 'waiting') this.#look();
    return this.#state === 'cancelled';
  }

  get reason(): unknown {
    return this.aborted ? this.#reason : undefined;
  }

  /** A real signal, which is made only where it is read. */
  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    const abort = (this.#abort = new AbortController());
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

  #look(): void {
    const { client, signals } = this.sources;
    const signal = signals?.find((one) => one?.aborted);
    if (signal) this.cancel(() => signal.reason);
    else if (client && isDisconnected(client)) this.cancel();
  }

  #listen(): void {
    const { client, signals = [] } = this.sources;
    const stops: (() => void)[] = (this.#stops = []);
    if (client) stops.push(onDisconnect(client, () => this.cancel()));
    for (const signal of signals) {
      if (!signal) continue;
      const cancel = (): void => this.cancel(() => signal.reason);
      signal.addEventListener('abort', cancel);
      stops.push(() => signal.removeEventListener('abort', cancel));
    }
  }

  #listenNoLonger(): void {
    const stops = this.#stops ?? [];
    this.#stops = undefined;
    for (const stop of stops) stop();
  }
}
