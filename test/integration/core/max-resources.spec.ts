import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allDone, CALLS_OF_ALL_DONE, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

describe('a lock over many resources', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  const named = (count: number): string[] => Array.from({ length: count }, () => pool.resource());
  /** How many scripts a node has run. */
  const scripts = async (): Promise<number> => {
    const stats = await pool.ask(0, (redis) => redis.info('commandstats'));
    const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  };

  beforeAll(async () => {
    pool = await RedisPool.start(3);
    client = await pool.client();
  });

  afterAll(() => pool.stop());

  it('is given for 64 of them', async () => {
    const resources = named(64);
    const lock = await client.redlock.acquire(resources);
    await allDone(client);
    expect(await pool.owners(resources[0]!)).toEqual(Array(3).fill(lock.value));
    expect(await pool.owners(resources[63]!)).toEqual(Array(3).fill(expect.any(String)));
    await lock.release();
    await allDone(client);
    expect(await pool.owners(resources[0]!)).toEqual(Array(3).fill(null));
  });

  it.each([65, 10_000])('is refused for %i of them, before any node is asked', async (count) => {
    const resources = named(count);
    const [before, told] = [await scripts(), client.events.length];
    const attempts = [
      client.redlock.acquire(resources),
      client.redlock.tryAcquire(resources),
      client.redlock.withLock(resources, () => 'ran'),
    ];
    const errors = await Promise.all(attempts.map((attempt) => attempt.catch((error: unknown) => error)));
    for (const error of errors) {
      expect(error).toBeInstanceOf(RangeError);
      expect((error as Error).message).toMatch(`at most 64 resources at once; got ${count}.`);
    }
    await allDone(client);
    expect([await scripts(), client.events.length]).toEqual([before + CALLS_OF_ALL_DONE, told]);
  });

  it('is given for as many as the pool allows', async () => {
    const { redlock } = await pool.client({ maxResources: 128 });
    await using lock = await redlock.acquire(named(128));
    expect(lock.isValid).toBe(true);
    await expect(redlock.acquire(named(129))).rejects.toThrow(/at most 128 resources/);
  });
});
