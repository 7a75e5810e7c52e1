import { RedlockClosedError } from './errors.js';
import { AbortSource } from './abort.js';
import { ChurnMap } from './churn-map.js';
import { elapsed, type Clock } from './clock.js';
import type { HeldLock } from './held-lock.js';

/** A held lock that the shutdown of a pool waits for. */
export interface RemainingLock {
  readonly resources: readonly string[];
  /** Ms since the lock was taken. */
  readonly held: number;
}

/** Ms: a call that was aborted by the shutdown ends sooner than that. It has to release what its nodes are about to grant. */
const ABORTED_WITHIN = 200;
const TIME_IS_UP = 'the service is shutting down and its time to finish is up';

/** Shuts a pool down in order: refuses new locks, lets holders finish within a time limit, and revokes the remaining locks. */
export class Shutdown {
  readonly #closing = new AbortSource();
  readonly #over = new AbortSource();
  readonly #locks = new ChurnMap<HeldLock, HeldLock>();
  #calls = 0;
  readonly #whenIdle = new Set<() => void>();
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

  /** Records the start of a call that may end in a lock; the shutdown waits for this call until its `exit`. */
  enter(): void {
    this.#calls += 1;
    this.#letEnd ??= this.clock.keepAlive?.();
  }

  exit(): void {
    this.#calls -= 1;
    this.#checkIdle();
  }

  /** Tracks a new lock until it is over. If the time to finish is up already, revokes the lock and returns a promise that rejects. */
  track(lock: HeldLock): Promise<never> | undefined {
    this.#locks.set(lock, lock);
    return this.#over.reason && this.#takeAway(lock);
  }

  over(lock: HeldLock): void {
    this.#locks.delete(lock);
    this.#checkIdle();
  }

  /** Gives `notify` the list of holders, waits at most `timeout` ms until all of them have finished, and revokes the locks that are left. */
  async drain(timeout: number, notify: (holders: readonly RemainingLock[]) => void = () => undefined): Promise<void> {
    this.#closing.stop(new RedlockClosedError());
    if (this.#locks.size > 0 && timeout > 0) notify(this.#holders);
    await this.#idleWithin(timeout);
    this.#over.stop(new RedlockClosedError());
    await Promise.all(this.#locks.entries().map(([lock]) => lock.revoke('shutdown', TIME_IS_UP)));
    await this.#idleWithin(ABORTED_WITHIN);
  }

  async #takeAway(lock: HeldLock): Promise<never> {
    await lock.revoke('shutdown', TIME_IS_UP);
    throw new RedlockClosedError();
  }

  get #holders(): RemainingLock[] {
    const now = this.clock.now();
    return this.#locks.entries().map(([{ resources, taken }]) => ({ resources, held: elapsed(taken, now) }));
  }

  get #isIdle(): boolean {
    return this.#locks.size === 0 && this.#calls === 0;
  }

  #checkIdle(): void {
    if (!this.#isIdle) return;
    this.#letEnd?.();
    this.#letEnd = undefined;
    for (const notify of this.#whenIdle) notify();
  }

  async #idleWithin(timeout: number): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stopTimer();
        this.#whenIdle.delete(end);
        resolve();
      };
      const stopTimer = this.clock.schedule(timeout, end);
      this.#whenIdle.add(end);
    });
  }
}
