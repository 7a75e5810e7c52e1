import type { Grant, Ticket } from './claim.js';

/** Who waits in a place. */
export interface Waiter {
  /** `node` gave the resource to this waiter. */
  granted(node: string, grant: Grant): void;
}

/** A place in line, which outlives its waiter: the claim of a lock keeps it, and must not keep all that led to the lock. */
export class Place implements Ticket {
  #waiter: Waiter | undefined;

  constructor(
    readonly arrived: number,
    readonly grace: number,
    waiter: Waiter,
  ) {
    this.#waiter = waiter;
  }

  get isTaken(): boolean {
    return this.#waiter !== undefined;
  }

  /** What comes when the waiter is gone is one more vote for the lock that it got; the next extension finds it. */
  granted(node: string, grant: Grant): void {
    this.#waiter?.granted(node, grant);
  }

  leave(): void {
    this.#waiter = undefined;
  }
}
