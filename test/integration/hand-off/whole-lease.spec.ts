import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { block } from '../../support/block.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const TTL = 10_000;

describe('a lock that comes by hand-off', () => {
  let pool: RedisPool;
  let [holder, waiter]: RedisPoolClient[] = [];
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [holder, waiter] = [await pool.client(), await pool.client()];
  });
  afterAll(() => pool.stop());

  const remaining = (resource: string): Promise<number[]> =>
    Promise.all(pool.servers.map((_, server) => pool.ask(server, (redis) => redis.pttl(resource))));

  it('is delivered with nearly its whole ttl, for which the nodes keep it even while its holder computes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const resource = pool.resource();
      const lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
      const waiting = waiter!.redlock.acquire(resource, { ttl: TTL, waitTimeout: 60_000 });
      await standing(pool, 1, resource);
      void lock.release();
      const handed = await waiting;
      expect(handed.validity).toBeGreaterThanOrEqual(0.9 * TTL);
      expect(() => handed.assertValid(1_000)).not.toThrow();
      // Before this process can say anything more to the nodes.
      block(900);
      expect(handed.isValid).toBe(true);
      const kept = (await remaining(resource)).filter((ms) => ms > TTL / 2);
      expect(kept.length).toBeGreaterThanOrEqual(3);
      await handed.release();
    }
  });
});
