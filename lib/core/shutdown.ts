import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.js';
import { RedlockClosedError } from './errors.js';
import type { Lease } from './lease.js';

const TIME_IS_UP = 'the service is shutting down and its time to finish is up';

/** Ends a pool in order: no new locks, holders finish up to a limit, the rest is revoked. */
export class Shutdown {
  readonly #closing = new AbortController();
  readonly #leases = new Set<Lease>();
  #entering = 0;
  readonly #onIdle = new Set<() => void>();
  readonly #over = new AbortController();

  constructor(private readonly clock: Clock) {
    setMaxListeners(0, this.#closing.signal, this.#over.signal);
  }

  /**
   * Aborts with a `RedlockClosedError` once no new locks are taken: later for holders, who may still take those that they
   * need to finish.
   */
  signalFor({ holder }: { readonly holder: boolean }): AbortSignal {
    return (holder ? this.#over : this.#closing).signal;
  }

  /** Follows a call that may end in a lease, and that lease until it is over. */
  async follow(taking: () => Promise<Lease>): Promise<Lease> {
    this.#entering += 1;
    try {
      return await this.#keep(await taking());
    } finally {
      this.#entering -= 1;
      this.#checkIdle();
    }
  }

  over(lease: Lease): void {
    this.#leases.delete(lease);
    this.#checkIdle();
  }

  /** Resolves when all holders have finished, or after `timeout` ms when what is left is revoked. */
  async drain(timeout: number): Promise<void> {
    this.#closing.abort(new RedlockClosedError());
    if (!this.#idle) await this.#idleWithin(timeout);
    this.#over.abort(new RedlockClosedError());
    await Promise.all([...this.#leases].map((lease) => lease.revoke(TIME_IS_UP)));
  }

  /** A lease that comes when all is over has no holder to finish: its time is up too. */
  async #keep(lease: Lease): Promise<Lease> {
    this.#leases.add(lease);
    if (!this.#over.signal.aborted) return lease;
    await lease.revoke(TIME_IS_UP);
    throw new RedlockClosedError();
  }

  get #idle(): boolean {
    return this.#leases.size === 0 && this.#entering === 0;
  }

  #checkIdle(): void {
    if (this.#idle) for (const tell of this.#onIdle) tell();
  }

  async #idleWithin(timeout: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const tell = (): void => {
        stopTimer();
        this.#onIdle.delete(tell);
        resolve();
      };
      const stopTimer = this.clock.schedule(timeout, tell);
      this.#onIdle.add(tell);
    });
  }
}
