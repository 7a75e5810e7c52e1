import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Stops the event loop, as a long computation or a garbage collection does. */
function blockFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('validity', () => {
  let pool: RedisPool;
  let proxies: FaultProxy[];
  let client: RedisPoolClient;
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    proxies = await pool.proxies();
    client = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: 20_000 });
  });
  afterAll(() => pool.stop());
  afterEach(() => {
    for (const proxy of proxies) proxy.replyDelay = 0;
  });

  it('is never negative: answers that took longer than the ttl give no lock', async () => {
    const resource = pool.resource();
    for (const proxy of proxies) proxy.replyDelay = 600;
    await expect(client.redlock.acquire(resource, { ttl: 300, waitTimeout: 0 })).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      message: expect.stringContaining('the answers took longer than the lease lasts'),
    });
  });

  it('is never negative: a process that stalls for longer than the ttl gets no lock', async () => {
    const resource = pool.resource();
    const taking = client.redlock.acquire(resource, { ttl: 300, waitTimeout: 0 });
    blockFor(600);
    await expect(taking).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
  });

  it('is never negative: an extension does not revive a lock over a stall', async () => {
    const lock = await client.redlock.acquire(pool.resource(), { ttl: 1_000 });
    const extension = lock.extend();
    blockFor(1_500);
    expect(lock.isValid).toBe(false);
    await expect(extension).rejects.toBeInstanceOf(LockLostError);
    expect([lock.isValid, lock.validity]).toEqual([false, 0]);
  });

  it('counts from the send, of the acquire and of the extension', async () => {
    for (const proxy of proxies) proxy.replyDelay = 400;
    const lock = await client.redlock.acquire(pool.resource(), { ttl: 10_000 });
    expect(lock.validity).toBeLessThanOrEqual(10_000 - 102 - 390);
    await lock.extend(60_000);
    expect(lock.validity).toBeLessThanOrEqual(60_000 - 602 - 390);
    expect(lock.validity).toBeGreaterThan(10_000);
  });
});
