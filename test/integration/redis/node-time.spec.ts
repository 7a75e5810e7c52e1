import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { ClockedServer } from '../../support/clock-shim.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { vouchFor } from '../../support/vouch.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const MAX_TTL = 20_000;
/** Ms by which the clock of the node is ahead of ours. */
const AHEAD = 3_000;

describeWithClocks('what time a node has', () => {
  describe.each([true, false])('with quarantine: %p', (restartQuarantine) => {
    const trust = { maxTtl: MAX_TTL, restartQuarantine };
    let node: ClockedServer;
    let pool: RedisPool;
    let clock: SystemClock;
    beforeAll(async () => {
      node = await ClockedServer.start();
      await node.step(AHEAD);
      await vouchFor(node.url, MAX_TTL);
    });
    afterAll(() => node.stop());
    beforeEach(async () => {
      pool = await RedisPool.start(0);
      clock = new SystemClock();
    });
    afterEach(() => pool.stop());

    const connect = (): Promise<RedisPoolClient> => pool.client({ nodes: [node.url], trust, clock });
    /** Ms by which a client takes the clock of the node to be ahead of ours. */
    const known = ({ nodes }: RedisPoolClient): number => {
      const { monotonic, wall } = clock.now();
      const { least, most } = nodes[0]!.clockAhead!;
      return (least + most) / 2 - (wall - monotonic);
    };

    it('is known as soon as the pool is open, and then by every vote', async () => {
      const client = await connect();
      expect(Math.abs(known(client) - AHEAD)).toBeLessThan(50);
      for (let turn = 0; turn < 20; turn += 1) await (await client.redlock.acquire('a')).release();
      expect(Math.abs(known(client) - AHEAD)).toBeLessThan(20);
    });

    it('is in the status, as the distance to our own clock', async () => {
      const client = await connect();
      const [status] = (await client.redlock.status()).nodes;
      expect(Math.abs(status!.clockOffset! - AHEAD)).toBeLessThan(50);
      expect(status!.latency).toBeGreaterThan(0);
    });
  });
});
