import type { LockEvent } from '../../lib/engine/events.js';
import type { QuorumNotReachedError } from '../../lib/engine/errors.js';
import type { Redlock } from '../../lib/engine/redlock.js';
import { MemoryPool } from './memory-pool.js';

export const MAX_TTL = 2_000;
export const ONCE = { waitTimeout: 0 };

/** Masters in memory that may have forgotten locks, and clients that mind. */
export class WaryPool {
  readonly #pool = new MemoryPool(3, MAX_TTL);
  readonly events: LockEvent[] = [];
  readonly redlock: Redlock;

  /** Of nodes that nobody has asked for anything yet. */
  constructor() {
    this.restart(0, 1, 2);
    this.redlock = this.client();
  }

  get clock() {
    return this.#pool.clock;
  }

  get nodes() {
    return this.#pool.nodes;
  }

  get memory() {
    return this.#pool.memory;
  }

  /** Of nodes that have been there for long. */
  static async trusted(): Promise<WaryPool> {
    const pool = new WaryPool();
    await pool.redlock.open();
    await pool.clock.advance(MAX_TTL);
    return pool;
  }

  client(maxTtl = MAX_TTL): Redlock {
    const listener = (event: LockEvent): void => void this.events.push(event);
    const defaults = { quorumTimeout: Infinity };
    return this.#pool.client({ maxTtl, listener, defaults }).redlock;
  }

  restart(...nodeIndexes: number[]): void {
    for (const nodeIndex of nodeIndexes) this.memory[nodeIndex]!.flush(MAX_TTL);
  }

  owners(resource: string): (string | undefined)[] {
    return this.#pool.owners(resource);
  }

  /** The error of a caller that does not wait. */
  async refusal(resource: string | string[], client = this.redlock): Promise<QuorumNotReachedError> {
    const refused = client.acquire(resource, ONCE).then(
      () => Promise.reject(new Error('it was given the lock')),
      (error: unknown) => error as QuorumNotReachedError,
    );
    return this.clock.until(refused);
  }
}
