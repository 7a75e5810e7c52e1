import type { LockEvent } from '../../lib/engine/events.js';
import { Redlock } from '../../lib/engine/redlock.js';
import { SystemClock } from '../../lib/engine/system-clock.js';
import type { IoredisClient } from '../../lib/redis/connection/settings/node-address.js';
import type { NodeOptions } from '../../lib/redis/connection/settings/node-options.js';
import { eventually } from './eventually.js';
import { realNodes } from './real-nodes.js';
import { type Trust, TRUSTING } from './trust.js';

const open = new Set<LoneNode>();

/** A client of one node, which need not be reachable, and the events that the client has had. */
export class LoneNode {
  readonly redlock: Redlock;
  readonly events: LockEvent[] = [];

  private constructor(node: string | NodeOptions | IoredisClient, trust: Trust = TRUSTING) {
    const clock = new SystemClock();
    const nodes = realNodes([node], clock, trust);
    const listener = (event: LockEvent): void => void this.events.push(event);
    this.redlock = new Redlock({
      nodes,
      clock,
      nodeTimeout: 3_000,
      maxTtl: trust.maxTtl,
      listener,
      defaults: { quorumTimeout: Infinity },
    });
    open.add(this);
  }

  static async open(node: string | NodeOptions | IoredisClient, trust: Trust = TRUSTING): Promise<LoneNode> {
    const lone = new LoneNode(node, trust);
    await lone.redlock.open();
    return lone;
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** The reasons that came with events of this type. */
  reasons(type: LockEvent['type']): string[] {
    return this.events.flatMap((event) => (event.type === type && 'reason' in event ? (event.reason ?? []) : []));
  }

  /** Resolves once an event of this type has come so many times. */
  until(type: LockEvent['type'], times = 1): Promise<void> {
    return eventually(() => {
      const count = this.types.filter((other) => other === type).length;
      if (count < times) throw new Error(`${type} came ${count} times, not ${times}; there were ${this.types.join()}`);
    }, 20_000);
  }

  /** Takes a lock and gives it back. */
  async lock(): Promise<void> {
    const lock = await this.redlock.acquire('lone', { waitTimeout: 10_000, retryDelay: 20 });
    await lock.release();
  }

  async close(): Promise<void> {
    open.delete(this);
    await this.redlock.close();
  }
}

/** Closes those that a test has opened and not closed. */
export async function closeLoneNodes(): Promise<void> {
  await Promise.all([...open].map((lone) => lone.close()));
}
