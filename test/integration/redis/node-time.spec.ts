import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../../lib/engine/system-clock.js';
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
    it('is in the status, as the distance to our own clock', async () => {
      const client = await connect();
      const [status] = (await client.redlock.status()).nodes;
      expect(Math.abs(status!.clockOffset! - AHEAD)).toBeLessThan(50);
      expect(status!.latency).toBeGreaterThan(0);
    });
  });
});
