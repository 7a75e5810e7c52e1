import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool } from '../../support/redis-pool.js';

describe('retries', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(4)));
  afterAll(() => pool.stop());

  it.each([2, 4])('settle a vote that ties over %i nodes', async (size) => {
    const resource = pool.resource();
    for (let index = 0; index < size / 2; index += 1) await pool.plant(index, resource);
    const { redlock } = await pool.client({ nodes: pool.urls.slice(0, size) });
    await expect(redlock.acquire(resource, { retryCount: 2, waitTimeout: Infinity })).rejects.toMatchObject({
      code: 'RESOURCE_LOCKED',
      retryAfter: Infinity,
    });
  });

  it('are not blocked by what their own last attempt took', async () => {
    const resource = pool.resource();
    const client = await pool.client({ nodes: pool.urls.slice(0, 3) });
    await pool.plant(0, resource, { ttl: 60_000 });
    await pool.plant(1, resource, { ttl: 250 });
    const lock = await client.redlock.acquire(resource, { ttl: 60_000, waitTimeout: 20_000 });
    await allDone(client);
    expect(await pool.owners(resource, [0, 1, 2])).toEqual(['foreign', lock.value, lock.value]);
  });

  it('never count a vote twice that they have in several attempts', async () => {
    const resource = pool.resource();
    const client = await pool.client({ nodes: pool.urls.slice(0, 3) });
    await pool.plant(0, resource);
    await pool.plant(1, resource);
    const options = { retryCount: 5, retryDelay: 20, retryJitter: 10, waitTimeout: Infinity };
    await expect(client.redlock.acquire(resource, options)).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    await allDone(client);
    expect(await pool.owners(resource, [0, 1, 2])).toEqual(['foreign', 'foreign', null]);
  });

  it('win as soon as the holder releases', async () => {
    const resource = pool.resource();
    const [holder, waiter] = [await pool.client(), await pool.client()];
    const held = await holder.redlock.acquire(resource, { ttl: 60_000 });
    // Longer than any test may take: a waiter that gets the lock was told of it.
    const waiting = waiter.redlock.acquire(resource, { waitTimeout: 60_000, retryDelay: 60_000, retryJitter: 0 });
    await eventually(async () => {
      const lines = pool.servers.map((_, index) => pool.ask(index, (redis) => redis.zcard(`${resource}~queue`)));
      expect(await Promise.all(lines)).toEqual(pool.servers.map(() => 1));
    });
    await held.release();
    const lock = await waiting;
    await lock.extend();
    expect(lock.validity).toBeGreaterThan(1_000);
    await allDone(waiter);
    expect(await pool.owners(resource)).toEqual(pool.servers.map(() => lock.value));
  });
});
