import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisPool } from '../../support/redis-pool.js';
import type { RedisPoolClient } from '../../support/redis-pool-client.js';
import { WARY, waryClient } from '../../support/wary-redis.js';

const OFF = { ...WARY, restartQuarantine: false };

describe('clients that differ in restartQuarantine', () => {
  let pool: RedisPool;
  beforeEach(async () => {
    pool = await RedisPool.start(1);
  });
  afterEach(() => pool.stop());

  const warnings = ({ events }: RedisPoolClient): string[] =>
    events.flatMap((event) => (event.type === 'node-warning' ? [event.reason] : []));

  it('are noticed by the one without it, where one with it was there before', async () => {
    const careful = await waryClient(pool);
    await careful.untilTold('node-quarantined');
    const hasty = await pool.client({ trust: OFF });
    await hasty.untilTold('node-warning');
    expect(warnings(hasty)).toEqual([expect.stringMatching(/have restartQuarantine on, and this client has it off/)]);
    expect(careful.count('node-warning')).toBe(0);
  });

  it('are noticed by the one with it, where one without it took locks before', async () => {
    const hasty = await pool.client({ trust: OFF });
    await (await hasty.redlock.acquire('a')).release();
    const careful = await waryClient(pool);
    await careful.untilTold('node-warning');
    expect(warnings(careful)).toEqual([expect.stringMatching(/take locks on it with restartQuarantine: false/)]);
    expect(hasty.count('node-warning')).toBe(0);
  });

  it.each([WARY, OFF])('are not those that agree: %o', async (trust) => {
    const first = await pool.client({ trust });
    await (await first.redlock.acquire('a', { waitTimeout: 20_000, ttl: 1_000 })).release();
    const second = await pool.client({ trust });
    await (await second.redlock.acquire('a', { waitTimeout: 20_000, ttl: 1_000 })).release();
    expect([warnings(first), warnings(second)]).toEqual([[], []]);
  });
});
