import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool } from '../../support/redis-pool.js';

describe('nodes that do not answer', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(3)));
  afterAll(() => pool.stop());

  it('are not waited for: with one of three frozen, acquire, extend and release answer by the other two', async () => {
    const resource = pool.resource();
    const { redlock } = await pool.client({ nodeTimeout: 60_000 });
    await pool.servers[2]!.freeze();
    try {
      const lock = await redlock.acquire(resource, { ttl: 120_000 });
      await lock.extend();
      expect(await pool.owners(resource, [0, 1])).toEqual([lock.value, lock.value]);
      await lock.release();
      expect(await pool.owners(resource, [0, 1])).toEqual([null, null]);
    } finally {
      await pool.servers[2]!.thaw();
    }
  });

  it('are not waited for by a refusal either', async () => {
    const resource = pool.resource();
    const { redlock } = await pool.client({ nodeTimeout: 60_000 });
    await pool.plant(0, resource);
    await pool.plant(1, resource);
    await pool.servers[2]!.freeze();
    try {
      await expect(redlock.tryAcquire(resource)).resolves.toBeNull();
    } finally {
      await pool.servers[2]!.thaw();
    }
  });

  it('are released too after a timeout, since the request may have landed', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: 300 });
    await allDone(client);
    for (const proxy of proxies.slice(0, 2)) proxy.dropReplies = true;
    await expect(client.redlock.acquire(resource, { ttl: 60_000, waitTimeout: 0 })).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      nodes: [
        { outcome: 'unknown', detail: 'no answer within 300 ms' },
        { outcome: 'unknown', detail: 'no answer within 300 ms' },
        { outcome: 'granted' },
      ],
    });
    await eventually(async () => expect(await pool.owners(resource)).toEqual([null, null, null]));
    for (const proxy of proxies) proxy.resetAll();
  });
});
