import { departed, isGone, onLeaving, type Client } from './client.js';

/** Ends one call's wait for its lock: when its client goes away, or when nobody listens to it any more. */
export class Departure {
  readonly #abort = new AbortController();
  #over = false;
  #stop: (() => void) | undefined;

  constructor(client: Client | undefined, outer?: AbortSignal) {
    if (client) this.#watch(client);
    if (outer && !this.#over) this.#follow(outer);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Somebody goes; of no effect once it has ended. */
  leave(reason: unknown = departed()): void {
    if (this.#over) return;
    this.end();
    this.#abort.abort(reason);
  }

  /** From now on it does not matter who goes. */
  end(): void {
    this.#over = true;
    this.#stop?.();
    this.#stop = undefined;
  }

  #watch(client: Client): void {
    if (isGone(client)) this.leave();
    else this.#stop = onLeaving(client, () => this.leave());
  }

  #follow(outer: AbortSignal): void {
    if (outer.aborted) return this.leave(outer.reason);
    const leave = (): void => this.leave(outer.reason);
    outer.addEventListener('abort', leave);
    const stop = this.#stop;
    this.#stop = () => {
      stop?.();
      outer.removeEventListener('abort', leave);
    };
  }
}
