import { expect } from '@jest/globals';
import type { LockEvent } from '../../lib/engine/events.js';
import type { Lock } from '../../lib/engine/lock.js';
import type { LockOptions } from '../../lib/engine/options.js';
import type { Redlock } from '../../lib/engine/redlock.js';
import { MemoryPool } from './memory-pool.js';

export const PATIENT = { waitTimeout: Infinity, ttl: 1_000 };
/** Asks once, and is then told by hand-off only. */
export const IN_LINE = { ...PATIENT, retryDelay: 60_000, retryJitter: 0 };

/** Callers of one process, and of others, that want the same resource. */
export class PassingWorld {
  readonly pool = new MemoryPool();
  readonly redlock: Redlock;
  readonly events: LockEvent[];

  constructor() {
    ({ redlock: this.redlock, events: this.events } = this.pool.client());
  }

  /** The lock of a caller that had to wait, though for no time at all: only such a lock may be passed on. */
  take = async (options: LockOptions = PATIENT): Promise<Lock> => {
    const [first, second] = [this.next(options), this.next(options)];
    await this.free(await this.pool.clock.until(first));
    return this.pool.clock.until(second);
  };

  next = (options: LockOptions = PATIENT): Promise<Lock> => this.redlock.acquire('a', options);

  free = (lock: Lock): Promise<void> => this.pool.clock.until(lock.release());

  pass = (ms: number): Promise<void> => this.pool.clock.advance(ms);

  /** Gives a lock to its waiter; returns whether the nodes had a part in that. */
  goesByNodes = async (first: Lock, waiting: Promise<Lock>): Promise<boolean> => {
    const before = this.#asked;
    await this.free(first);
    const second = await this.pool.clock.until(waiting);
    expect(second.isValid).toBe(true);
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    expect(this.pool.owners('a')).toEqual(Array(3).fill(second.value));
    return this.#asked.some((calls, nodeIndex) => calls > before[nodeIndex]!);
  };

  /** How often a node was asked for a vote. */
  get votes(): number {
    return this.pool.nodes[0]!.callsOf('acquire').length;
  }

  /** How often each node was asked for anything. */
  get #asked(): number[] {
    return this.pool.nodes.map((node) => node.calls.length);
  }
}
