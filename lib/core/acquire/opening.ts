import type { LockListener } from '../api/events.js';
import type { NodePool } from '../quorum/node-pool.js';
import { errorOf, notConnected } from '../quorum/outcome/outcome.js';
import type { WaitBudget } from '../quorum/outcome/wait-budget.js';
import type { Moment } from '../time/clock.js';

/** The start of a pool: its nodes are connected once, by the first call that needs them. */
export class Opening {
  #opening: Promise<void> | undefined;
  #isOpen = false;

  constructor(
    private readonly pool: NodePool,
    private readonly emit: LockListener,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when each node has answered or failed once. @throws TypeError if two addresses lead to one server */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Prevents a pool that was never opened from being opened by a later call. */
  end(): void {
    this.#opening ??= Promise.resolve();
  }

  /** Resolves with the current time once the pool is open; rejects if the caller's time is up or an abort comes before that. */
  async within(budget: WaitBudget, resources: readonly string[]): Promise<Moment> {
    await new Promise<void>((resolve, reject) => {
      const timeout = (): void => reject(errorOf(notConnected(this.pool.nodes), resources));
      const stop = budget.watch(budget.remainingForOpening, { timeout, abort: reject });
      this.open().then(resolve, reject).finally(stop);
    });
    return this.pool.clock.now();
  }

  async #open(): Promise<void> {
    await this.pool.open(this.emit);
    this.#isOpen = true;
  }
}
