import type { Grant, Ticket } from '../../port/claim.js';

/** Who waits in a place. */
export interface Waiter {
  /** `node` gave the resource to this waiter. */
  granted(node: string, grant: Grant): void;
}

/** Ms: how exactly a node is to know when a waiter came on the clock of its process. */
const COARSE = 16;

/** When a waiter came, ms. */
export interface Arrival {
  /** On the clocks of the nodes. */
  readonly date: number;
  /** On the monotonic clock of this process. */
  readonly monotonic: number;
}

/** A place in line, which outlives its waiter: the claim of a lock keeps it, and must not keep all that led to the lock. */
export class Place implements Ticket {
  readonly arrived: number;
  readonly since: number;
  #waiter: Waiter | undefined;

  constructor(
    { date, monotonic }: Arrival,
    readonly ttl: number,
    waiter: Waiter,
  ) {
    // Whatever is asked for in the same ms goes to the nodes in fewer words.
    this.arrived = Math.floor(date) * 1_000;
    this.since = Math.floor(monotonic / COARSE) * COARSE * 1_000;
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
