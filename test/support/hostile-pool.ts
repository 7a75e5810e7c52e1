import { expect } from '@jest/globals';
import type { LockEvent } from '../../lib/engine/events.js';
import { eventually } from './eventually.js';
import { HostileNode, type Answering } from './hostile-node.js';
import type { RedisPool } from './redis-pool.js';
import { ONCE, type RedisPoolClient } from './redis-pool-client.js';

/** Two nodes that mean well, and one that does not. */
export class HostilePool {
  private constructor(
    private readonly pool: RedisPool,
    readonly hostile: HostileNode,
    readonly client: RedisPoolClient,
  ) {}

  /** A hostile node beside the two nodes of a pool, which many tests share. */
  static async beside(pool: RedisPool, answering?: Answering): Promise<HostilePool> {
    const hostile = await HostileNode.start(answering);
    const client = await pool.client({ nodes: [hostile.url, ...pool.urls] });
    return new HostilePool(pool, hostile, client);
  }

  /** Takes, extends and gives back locks of the two good nodes, and asks the bad one whatever it can be asked. */
  async locksGoOn(times = 5): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const resource = this.pool.resource();
      const lock = await this.client.redlock.acquire(resource, ONCE);
      await lock.extend();
      expect(await this.pool.owners(resource)).toEqual([lock.value, lock.value]);
      await lock.release();
    }
    await this.client.redlock.status();
  }

  /** What was told of the bad node. */
  told(type: 'node-down' | 'node-warning' | 'node-refused'): string[] {
    const isOfIt = (event: LockEvent): event is Extract<LockEvent, { type: typeof type }> =>
      event.type === type && event.node === this.hostile.url;
    return this.client.events.filter(isOfIt).map(({ reason }) => reason);
  }

  /** Resolves when the bad node was left, and tried again. */
  async leftAndTriedAgain(): Promise<void> {
    const before = this.hostile.connections;
    await eventually(() => expect(this.hostile.connections).toBeGreaterThan(before), 20_000);
  }

  /** Resolves when the bad node is asked for votes like any other. */
  async connected(): Promise<void> {
    await eventually(() => expect(this.hostile.commands).toContain('eval'));
    await eventually(async () => {
      await this.locksGoOn(1);
      expect(this.hostile.commands).toContain('evalsha');
    });
  }

  async stop(): Promise<void> {
    await this.client.redlock.close();
    await this.hostile.stop();
  }
}
