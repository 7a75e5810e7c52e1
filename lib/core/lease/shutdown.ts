import { elapsed, type Clock } from '../time/clock.js';
import { RedlockClosedError } from '../api/errors.js';
import type { Lease } from './lease.js';
import { Roster, type Entry } from '../collections/roster.js';
import { AbortSource } from '../time/abort.js';

/** A lock that the end of a pool waits for. */
export interface Holder {
  readonly resources: readonly string[];
  /** Ms. */
  readonly held: number;
}

const TIME_IS_UP = 'the service is shutting down and its time to finish is up';

/** Ends a pool in order: no new locks, holders finish up to a limit, the rest is revoked. */
export class Shutdown {
  readonly #closing = new AbortSource();
  readonly #leases = new Roster<Lease>();
  #entering = 0;
  readonly #onIdle = new Set<() => void>();
  readonly #over = new AbortSource();

  constructor(private readonly clock: Clock) {}

  /**
   * Stops with a `RedlockClosedError` once no new locks are taken: later for holders, who may still take those that they
   * need to finish.
   */
  stopFor({ holder }: { readonly holder: boolean }): AbortSource {
    return holder ? this.#over : this.#closing;
  }

  /** A call begins that may end in a lease: waits for it until `left`. */
  enter(): void {
    this.#entering += 1;
  }

  left(): void {
    this.#entering -= 1;
    this.#checkIdle();
  }

  /** Follows a new lease until it is over; where all is over already it has no holder to finish: its time is up too. */
  keep(lease: Lease): Promise<never> | undefined {
    this.#leases.add(lease);
    return this.#over.reason && this.#takeAway(lease);
  }

  over(lease: Entry): void {
    this.#leases.delete(lease);
    this.#checkIdle();
  }

  /** Resolves when all holders have finished, of whom `tell` hears first, or after `timeout` ms when what is left is revoked. */
  async drain(timeout: number, tell: (holders: readonly Holder[]) => void = () => undefined): Promise<void> {
    this.#closing.stop(new RedlockClosedError());
    if (this.#leases.size > 0 && timeout > 0) tell(this.#holders);
    if (!this.#idle) await this.#idleWithin(timeout);
    this.#over.stop(new RedlockClosedError());
    await Promise.all(this.#leases.all.map((lease) => lease.revoke(TIME_IS_UP)));
  }

  async #takeAway(lease: Lease): Promise<never> {
    await lease.revoke(TIME_IS_UP);
    throw new RedlockClosedError();
  }

  get #holders(): Holder[] {
    const now = this.clock.now();
    return this.#leases.all.map(({ resources, taken }) => ({ resources, held: elapsed(taken, now) }));
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
