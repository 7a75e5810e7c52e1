import type { Grant, Ticket } from '../../port/claim.js';

/** The owner of a place in line. */
export interface Waiter {
  /** Called when `node` has given the resource to this waiter. */
  granted(node: string, grant: Grant): void;
}

/** Ms: the precision with which the nodes are told when a waiter came, on the monotonic clock of its process. */
const COARSE = 16;

/** When a waiter came, and what it asks for. */
export interface PlaceTerms extends Pick<Ticket, 'ttl'> {
  /** When the waiter came, ms on the clocks of the nodes. */
  readonly date: number;
  /** When the waiter came, ms on the monotonic clock of this process. */
  readonly monotonic: number;
  /** @see Ticket.tokens */
  readonly tokens: number;
}

/**
 * A place in line. The claim of a lock keeps its place for as long as the lock lasts. So `leave` drops the waiter: otherwise the claim would keep
 * everything alive that led to the lock.
 */
export class Place implements Ticket {
  readonly arrived: number;
  readonly since: number;
  readonly ttl: number;
  readonly tokens: number;
  #waiter: Waiter | undefined;

  constructor({ date, monotonic, ttl, tokens }: PlaceTerms, waiter: Waiter) {
    this.ttl = ttl;
    this.tokens = tokens;
    // Rounded down, so that questions of the same ms have the same terms, which a batch sends only once.
    this.arrived = Math.floor(date) * 1_000;
    this.since = Math.floor(monotonic / COARSE) * COARSE * 1_000;
    this.#waiter = waiter;
  }

  get isTaken(): boolean {
    return this.#waiter !== undefined;
  }

  /** Passes a grant to the waiter. A grant that comes after the waiter left is one more vote for its lock, which the next extension finds. */
  granted(node: string, grant: Grant): void {
    this.#waiter?.granted(node, grant);
  }

  leave(): void {
    this.#waiter = undefined;
  }
}
