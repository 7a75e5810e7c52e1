import { ClockedServer } from './clock-shim.js';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import { RedisPool } from './redis-pool.js';
import { vouchFor } from './vouch.js';

/** One node whose clock the test sets and which votes from the start, a proxy before it, and the clients of both. */
export class ClockedPool {
  private constructor(
    readonly pool: RedisPool,
    readonly node: ClockedServer,
    readonly proxy: FaultProxy,
  ) {}

  /** `maxTtl`: that of its clients, in ms. */
  static async start(maxTtl: number): Promise<ClockedPool> {
    const [pool, node] = [await RedisPool.start(0), await ClockedServer.start()];
    await vouchFor(node.url, maxTtl);
    return new ClockedPool(pool, node, await startFaultProxy(node.server));
  }

  async stop(): Promise<void> {
    await this.pool.stop();
    await this.proxy.close();
    await this.node.stop();
  }
}
