import { elapsed, type Clock } from '../time/clock.js';
import { RedlockClosedError } from '../api/errors.js';
import type { TrackedLease } from './lease-context.js';
import { LinkedList } from '../collections/linked-list.js';
import { AbortSource } from '../time/abort.js';

/** A held lock that the shutdown of a pool waits for. */
export interface RemainingLock {
  readonly resources: readonly string[];
  /** Ms since the lock was taken. */
  readonly held: number;
}

/** Ms: a call that was aborted by the shutdown ends sooner than that. It has to give back what its nodes are about to grant. */
const ABORTED_WITHIN = 200;
const TIME_IS_UP = 'the service is shutting down and its time to finish is up';

/** Shuts a pool down in order: refuses new locks, lets holders finish within a time limit, and revokes the remaining locks. */
export class Shutdown {
  readonly #closing = new AbortSource();
  readonly #leases = new LinkedList<TrackedLease>();
  #entering = 0;
  readonly #onIdle = new Set<() => void>();
  readonly #over = new AbortSource();
  /** Lets the process end; undefined while nobody waits or holds a lock. */
  #letEnd: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * Returns the source that aborts a call with a `RedlockClosedError` in a shutdown. For a holder the abort comes later, because a holder may
   * still take the locks that it needs to finish.
   */
  stopFor({ holder }: { readonly holder: boolean }): AbortSource {
    return holder ? this.#over : this.#closing;
  }

  /** Records the start of a call that may end in a lease; the shutdown waits for this call until its `exit`. */
  enter(): void {
    this.#entering += 1;
    this.#letEnd ??= this.clock.keepAlive?.();
  }

  exit(): void {
    this.#entering -= 1;
    this.#checkIdle();
  }

  /** Tracks a new lease until it is over. If the time to finish is up already, revokes the lease and returns a promise that rejects. */
  track(lease: TrackedLease): Promise<never> | undefined {
    this.#leases.append(lease.tracked);
    return this.#over.reason && this.#takeAway(lease);
  }

  over(lease: TrackedLease): void {
    this.#leases.remove(lease.tracked);
    this.#checkIdle();
  }

  /** Gives `notify` the list of holders, waits at most `timeout` ms until all of them have finished, and revokes the locks that are left. */
  async drain(timeout: number, notify: (holders: readonly RemainingLock[]) => void = () => undefined): Promise<void> {
    this.#closing.stop(new RedlockClosedError());
    if (this.#leases.length > 0 && timeout > 0) notify(this.#holders);
    if (!this.#idle) await this.#idleWithin(timeout);
    this.#over.stop(new RedlockClosedError());
    await Promise.all(this.#leases.all.map((lease) => lease.revoke('shutdown', TIME_IS_UP)));
    if (!this.#idle) await this.#idleWithin(ABORTED_WITHIN);
  }

  async #takeAway(lease: TrackedLease): Promise<never> {
    await lease.revoke('shutdown', TIME_IS_UP);
    throw new RedlockClosedError();
  }

  get #holders(): RemainingLock[] {
    const now = this.clock.now();
    return this.#leases.all.map(({ resources, taken }) => ({ resources, held: elapsed(taken, now) }));
  }

  get #idle(): boolean {
    return this.#leases.length === 0 && this.#entering === 0;
  }

  #checkIdle(): void {
    if (!this.#idle) return;
    this.#letEnd?.();
    this.#letEnd = undefined;
    for (const notify of this.#onIdle) notify();
  }

  async #idleWithin(timeout: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const notify = (): void => {
        stopTimer();
        this.#onIdle.delete(notify);
        resolve();
      };
      const stopTimer = this.clock.schedule(timeout, notify);
      this.#onIdle.add(notify);
    });
  }
}
