import type { Lock } from '../../lib/core/api/lock.js';
import type { LockOptions } from '../../lib/core/api/options.js';
import type { Redlock } from '../../lib/core/redlock.js';
import type { RedlockSettings } from '../../lib/core/redlock-settings.js';
import { MemoryPool } from './memory-pool.js';
import type { VirtualClock } from './virtual-clock.js';

/** The callers of one process that all want the resource `a` of masters in memory. */
export class WaitingCallers {
  readonly pool = new MemoryPool();
  readonly redlock: Redlock;

  constructor(settings: Partial<RedlockSettings> = {}) {
    this.redlock = this.pool.client(settings).redlock;
  }

  get clock(): VirtualClock {
    return this.pool.clock;
  }

  /** Ms since the masters began. */
  get now(): number {
    return this.clock.now().monotonic;
  }

  /** How often the first master was asked for the lock. */
  get asked(): number {
    return this.pool.nodes[0]!.callsOf('acquire').length;
  }

  /** Whose values are in line on each master. */
  get waiting(): string[][] {
    return this.pool.memory.map((node) => node.waiting('a'));
  }

  /** Lets time pass until a caller has the lock. */
  acquire(options?: LockOptions): Promise<Lock> {
    return this.clock.until(this.redlock.acquire('a', options));
  }

  /** So many waiting callers, each of which waits for as long as the options say. */
  lineUp(count: number, options: LockOptions = { waitTimeout: Infinity }): Promise<Lock>[] {
    return Array.from({ length: count }, () => this.redlock.acquire('a', options));
  }

  /** Lets time pass until a call fails, and hands on its error. */
  errorOf(call: Promise<unknown>): Promise<unknown> {
    return this.clock.until(call.catch((error: unknown) => error));
  }
}
