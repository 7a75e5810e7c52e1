import type { LazyAbortSignal } from '../../core/api/call-options.js';
import type { AbortSignalLike } from '../../core/time/abort.js';
import { departed, isGone, onLeaving, type Client } from './client-connection.js';

/** What ends the wait for a lock from outside: a client that goes away, and signals that abort. */
export interface CancelSources {
  readonly client?: Client | undefined;
  readonly signals?: readonly (AbortSignalLike | undefined)[];
}

/**
 * Ends the wait of one call for its lock: by a source from outside, or when nobody listens to the call any more. It listens to no source
 * before the call has to wait.
 */
export class WaitCancellation implements LazyAbortSignal {
  #state: 'staying' | 'left' | 'over' = 'staying';
  #reason: unknown;
  #abort: AbortController | undefined;
  #stops: (() => void)[] | undefined;

  constructor(private readonly outside: CancelSources = {}) {}

  get aborted(): boolean {
    if (this.#state === 'staying') this.#look();
    return this.#state === 'left';
  }

  get reason(): unknown {
    return this.aborted ? this.#reason : undefined;
  }

  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    const abort = (this.#abort = new AbortController());
    if (this.aborted) abort.abort(this.#reason);
    else if (this.#state === 'staying') this.#listen();
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
  leave(toReason: () => unknown = departed): void {
    if (this.#state !== 'staying') return;
    this.#state = 'left';
    this.#reason = toReason();
    this.#listenNoLonger();
    this.#abort?.abort(this.#reason);
  }

  /** Marks the wait as over and stops listening to all sources. */
  end(): void {
    if (this.#state === 'staying') this.#state = 'over';
    this.#listenNoLonger();
  }

  #look(): void {
    const { client, signals } = this.outside;
    const signal = signals?.find((one) => one?.aborted);
    if (signal) this.leave(() => signal.reason);
    else if (client && isGone(client)) this.leave();
  }

  #listen(): void {
    const { client, signals = [] } = this.outside;
    const stops: (() => void)[] = (this.#stops = []);
    if (client) stops.push(onLeaving(client, () => this.leave()));
    for (const signal of signals) {
      if (!signal) continue;
      const leave = (): void => this.leave(() => signal.reason);
      signal.addEventListener('abort', leave);
      stops.push(() => signal.removeEventListener('abort', leave));
    }
  }

  #listenNoLonger(): void {
    const stops = this.#stops ?? [];
    this.#stops = undefined;
    for (const stop of stops) stop();
  }
}
