import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

describe('an abort listener that releases the lost lock', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    client = await pool.client();
  });
  afterAll(() => pool.stop());

  it('does not pass it on: the next caller of the process waits for the process that has it', async () => {
    const resource = pool.resource();
    const { redlock, events } = client;
    const options = { ttl: 10_000, waitTimeout: 60_000, retryDelay: 20, retryJitter: 0 };
    const first = await redlock.acquire(resource, options);
    const [second, next] = [redlock.acquire(resource, options), redlock.acquire(resource, options)];
    await eventually(() => expect(events.map(({ type }) => type)).toContain('contended'));
    await first.release();
    // Others waited behind this caller when it asked, so that its lock may pass to them.
    const lock = await second;
    lock.signal.addEventListener('abort', () => void lock.release());
    // An operator deleted it by hand, and another process took it.
    for (const server of [0, 1, 2]) await pool.plant(server, resource, { value: 'another', ttl: 500 });
    await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    const got = await next;
    const owners = await pool.owners(resource);
    expect(owners.filter((owner) => owner === got.value).length).toBeGreaterThanOrEqual(3);
    expect(got.value).not.toBe(lock.value);
    expect(got.fencingToken).toBeGreaterThan(lock.fencingToken);
    await got.release();
  });
});
