import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Two pools whose prefixes differ by a colon only. */
const PREFIX = 'app';
const OTHER_PREFIX = 'app:';

describe('a resource whose key would be one that another pool keeps beside its locks', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  let other: RedisPoolClient;

  beforeAll(async () => {
    pool = await RedisPool.start(3);
    client = await pool.client({ keyPrefix: PREFIX });
    other = await pool.client({ keyPrefix: OTHER_PREFIX });
  });

  afterAll(() => pool.stop());

  it.each(['~fence', '~waiting', '~node', '~queue', 'a~queue'])(
    'is refused, and the other pool goes on: :%s',
    async (name) => {
      const resource = `:${name}`;
      await expect(client.redlock.acquire(resource)).rejects.toMatchObject({ code: 'LOCK_KEY', resources: [resource] });
      await allDone(client);
      const lock = await other.redlock.acquire('a');
      expect(lock.isValid).toBe(true);
      await lock.release();
      await allDone(other);
    },
  );

  it('has one of these endings, as all keys have that stand beside a lock', async () => {
    const holder = await other.redlock.acquire('a');
    const waiting = other.redlock.acquire('a', { waitTimeout: 60_000 });
    const rival = await pool.client({ keyPrefix: OTHER_PREFIX });
    const elsewhere = rival.redlock.acquire('a', { waitTimeout: 60_000 });
    await pool.ask(0, async (redis) => {
      while ((await redis.zcard(`${OTHER_PREFIX}a~queue`)) === 0) await redis.ping();
    });
    const keys = await pool.ask(0, (redis) => redis.keys('*'));
    const beside = keys.filter((key) => key.startsWith(OTHER_PREFIX) && key !== `${OTHER_PREFIX}a`);
    const ends = beside.map((key) => /~(?:queue|places|fence|waiting|node)$/.exec(key)?.[0]);
    expect(new Set(ends)).toEqual(new Set(['~fence', '~places', '~queue', '~waiting']));
    await holder.release();
    for (const lock of [waiting, elsewhere]) await (await lock).release();
  });
});
