import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Data of another application under the key of a lock, in all types that are not strings, and the text that no lock has as its value. */
const TYPES: readonly (readonly [string, (redis: Redis, key: string) => Promise<unknown>])[] = [
  ['a hash, as of Redisson', (redis, key) => redis.hset(key, 'uuid:1', 1)],
  ['a sorted set, as of Symfony', (redis, key) => redis.zadd(key, 1, 'token')],
  ['a list', (redis, key) => redis.rpush(key, 'data')],
  ['a set', (redis, key) => redis.sadd(key, 'data')],
  ['a stream', (redis, key) => redis.xadd(key, '*', 'field', 'data')],
  ['an empty text', (redis, key) => redis.set(key, '')],
];

let pool: RedisPool;
let client: RedisPoolClient;
beforeAll(async () => {
  pool = await RedisPool.start(3);
  client = await pool.client();
});
afterAll(() => pool.stop());

describe.each(TYPES)('%s under a key', (_type, put) => {
  let resource: string;
  beforeEach(() => void (resource = pool.resource()));

  const onAll = <T>(ask: (redis: Redis) => Promise<T>): Promise<T[]> =>
    Promise.all([...pool.servers.keys()].map((server) => pool.ask(server, ask)));
  const plant = (ttl?: number): Promise<unknown> =>
    onAll(async (redis) => {
      await put(redis, resource);
      if (ttl !== undefined) await redis.pexpire(resource, ttl);
    });
  const remove = (): Promise<unknown> => onAll((redis) => redis.del(resource));
  const dumps = (): Promise<unknown[]> => onAll((redis) => redis.dump(resource));

  it.each([60_000, undefined])('is held, not a failure of nodes, with a ttl of %p ms', async (ttl) => {
    await plant(ttl);
    const before = await dumps();
    for (const wanted of [resource, [resource, pool.resource()]]) {
      await expect(client.redlock.tryAcquire(wanted)).resolves.toBeNull();
      await expect(client.redlock.acquire(wanted, { waitTimeout: 0 })).rejects.toMatchObject({
        code: 'RESOURCE_LOCKED',
        nodes: expect.arrayContaining([expect.objectContaining({ outcome: 'held' })]),
      });
      await expect(client.redlock.acquire(wanted, { waitTimeout: 50 })).rejects.toMatchObject({
        code: 'RESOURCE_LOCKED',
      });
    }
    expect(await dumps()).toEqual(before);
    expect(client.events.filter(({ type }) => type === 'node-refused')).toEqual([]);
  });

  it('is waited for in line until it is removed', async () => {
    await plant();
    const taking = client.redlock.acquire(resource, { waitTimeout: 60_000 });
    await standing(pool, 1, resource);
    await remove();
    await (await taking).release();
  });

  it('is waited for by asking again until it expires, with another resource', async () => {
    const other = pool.resource();
    await plant(300);
    const lock = await client.redlock.acquire([resource, other], { waitTimeout: 60_000, retryDelay: 20 });
    await lock.release();
    await allDone(client);
    expect(await pool.owners(other)).toEqual([null, null, null]);
  });

  it('in the place of a lock ends that lock, and stays', async () => {
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await allDone(client);
    await remove();
    await plant();
    const before = await dumps();
    await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await lock.release();
    await allDone(client);
    expect(await dumps()).toEqual(before);
  });
});
