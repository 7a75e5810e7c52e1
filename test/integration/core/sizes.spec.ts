import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

describe.each([1, 2, 3, 4, 5, 7])('over %i nodes', (size) => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  let rival: RedisPoolClient;
  beforeAll(async () => {
    pool = await RedisPool.start(size);
    client = await pool.client();
    rival = await pool.client();
  });
  afterAll(() => pool.stop());

  const leftOf = (key: string) =>
    Promise.all([...pool.servers.keys()].map((server) => pool.ask(server, (redis) => redis.pttl(key))));

  it('a lock is taken on all of them, extended and released', async () => {
    const resource = pool.resource();
    const lock = await client.redlock.acquire(resource, { ttl: 10_000 });
    await allDone(client);
    expect(await pool.owners(resource)).toEqual(Array(size).fill(lock.value));
    await lock.extend(60_000);
    await allDone(client);
    expect(Math.min(...(await leftOf(resource)))).toBeGreaterThan(10_000);
    expect(lock.validity).toBeGreaterThan(10_000);
    await lock.release();
    await allDone(client);
    expect(await pool.owners(resource)).toEqual(Array(size).fill(null));
  });

  it('a lock that one client holds is not given to another one until it is released', async () => {
    const [a, b] = [pool.resource(), pool.resource()];
    const lock = await client.redlock.acquire([a, b]);
    await expect(rival.redlock.tryAcquire(b)).resolves.toBeNull();
    await lock.release();
    await allDone(client);
    await expect(rival.redlock.tryAcquire(b)).resolves.toMatchObject({ isValid: true });
  });

  it('clients at the same moment get it one after another', async () => {
    const resource = pool.resource();
    const clients = [client, rival, ...(await Promise.all([pool.client(), pool.client(), pool.client()]))];
    let holders = 0;
    let turns = 0;
    const work = async (): Promise<void> => {
      holders += 1;
      expect(holders).toBe(1);
      await pool.ask(0, (redis) => redis.ping());
      holders -= 1;
      turns += 1;
    };
    const options = { waitTimeout: 25_000, retryDelay: 30, retryJitter: 20 };
    await Promise.all(clients.map(({ redlock }) => redlock.withLock(resource, work, options)));
    expect(turns).toBe(5);
  });

  it('of five clients that try at the same moment exactly one gets it', async () => {
    const clients = [client, rival, ...(await Promise.all([pool.client(), pool.client(), pool.client()]))];
    const resource = pool.resource();
    const locks = await Promise.all(clients.map(({ redlock }) => redlock.tryAcquire(resource, { ttl: 60_000 })));
    expect(locks.filter((lock) => lock !== null)).toHaveLength(1);
  });
});
