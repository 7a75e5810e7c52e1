import { afterEach, describe, expect, it } from '@jest/globals';
import { RedisPool } from '../../support/redis-pool.js';
import { ONCE, PATIENT } from '../../support/redis-pool-client.js';
import { MAX_TTL, onDisk, startTrusted, waryClient } from '../../support/wary-redis.js';

describe('maxTtl', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  describe('with a ttl above it', () => {
    it('refuses a lock at the call', async () => {
      pool = await startTrusted(1);
      const { redlock } = await waryClient(pool);
      await expect(redlock.acquire('a', { ttl: MAX_TTL + 1 })).rejects.toBeInstanceOf(RangeError);
      const lock = await redlock.acquire('a', { ttl: MAX_TTL });
      await expect(lock.extend(MAX_TTL + 1)).rejects.toBeInstanceOf(RangeError);
    });

    it.each([true, false])('has the node refuse it as well: restartQuarantine %s', async (restartQuarantine) => {
      pool = await startTrusted(1);
      // A client that knows nothing of what it may ask for.
      const { redlock } = await waryClient(pool, { trust: { maxTtl: MAX_TTL, restartQuarantine }, maxTtl: 60_000 });
      const asked = { ...ONCE, ttl: MAX_TTL + 1 };
      for (const resource of ['a', ['b', 'c']]) {
        const error = await redlock.acquire(resource, asked).catch((reason: unknown) => reason);
        expect((error as Error).message).toMatch(/a ttl of 1501 ms is above its maxTtl/);
      }
      const left = await Promise.all(['a', 'b', 'c'].map((key) => pool.ask(0, (redis) => redis.pttl(key))));
      expect(left).toEqual([-2, -2, -2]);
    });
  });

  it('need not be a whole number', async () => {
    pool = await RedisPool.start(1);
    const client = await waryClient(pool, { trust: { maxTtl: 1_000 / 3, restartQuarantine: true } });
    const lock = await client.redlock.acquire('a', PATIENT);
    await expect(lock.extend()).resolves.toBeUndefined();
    await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
  });

  describe('where clients have another one: the quarantine', () => {
    const [short, long] = [
      { maxTtl: 400, restartQuarantine: true },
      { maxTtl: 3_000, restartQuarantine: true },
    ];

    it('lasts for the greater one, and warns the client that comes second', async () => {
      pool = await RedisPool.start(1);
      const since = performance.now();
      const careful = await waryClient(pool, { trust: long });
      await careful.untilTold('node-quarantined');
      const hasty = await waryClient(pool, { trust: short });
      await hasty.untilTold('node-warning');
      expect(hasty.events).toContainEqual({
        type: 'node-warning',
        node: pool.urls[0],
        reason: expect.stringMatching(/other clients use a maxTtl of 3000 ms, and this client uses 400/),
      });
      expect(await hasty.votesAfter(since)).toBeGreaterThanOrEqual(3_000);
      expect(careful.count('node-warning')).toBe(0);
    });

    it('lasts for the greater one also when the client with the greater one comes second', async () => {
      pool = await RedisPool.start(1);
      const since = performance.now();
      const hasty = await waryClient(pool, { trust: short });
      await hasty.redlock.acquire('a', { ttl: 300, ...PATIENT });
      const careful = await waryClient(pool, { trust: long });
      await careful.untilTold('node-warning');
      await expect(hasty.refusal()).resolves.toMatchObject({ nodes: [{ outcome: 'quarantined' }] });
      expect(await hasty.votesAfter(since)).toBeGreaterThanOrEqual(3_000);
    });

    onDisk('lasts for the greater one also after the next restart', async () => {
      pool = await startTrusted(1, long.maxTtl);
      const client = await waryClient(pool, { trust: short });
      await client.redlock.acquire('a', ONCE);
      await pool.ask(0, (redis) => redis.save());
      const since = performance.now();
      await pool.servers[0]!.restart();
      await client.untilTold('node-up', 2);
      expect(await client.votesAfter(since)).toBeGreaterThanOrEqual(3_000);
    });
  });
});
