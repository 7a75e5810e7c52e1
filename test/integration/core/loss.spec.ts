import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { RedisPool } from '../../support/redis-pool.js';

describe('a lock that is lost', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(3)));
  afterAll(() => pool.stop());

  const aborted = async ({ signal }: Lock): Promise<unknown> => {
    if (!signal.aborted) await once(signal, 'abort');
    return signal.reason;
  };

  it('aborts its signal before another can have it, although extensions hang', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const holder = await pool.client({ nodes: proxies.map(({ url }) => url) });
    const rival = await pool.client();
    const lock = await holder.redlock.acquire(resource, { ttl: 1_500, autoExtend: true });
    const { signal } = lock;
    for (const proxy of proxies) proxy.blackhole = true;
    const abortedWhenRivalHasIt = rival.redlock
      .acquire(resource, { waitTimeout: 20_000, retryDelay: 5, retryJitter: 0 })
      .then(() => signal.aborted);
    await expect(aborted(lock)).resolves.toMatchObject({ code: 'LOCK_LOST' });
    await expect(abortedWhenRivalHasIt).resolves.toBe(true);
    expect(lock.isValid).toBe(false);
    for (const proxy of proxies) proxy.blackhole = false;
    for (const proxy of proxies) proxy.resetAll();
  });

  it('is found out without an unhandled rejection when all nodes die', async () => {
    const doomed = await RedisPool.start(3);
    const { redlock, events } = await doomed.client();
    const lock = await redlock.acquire('a', { ttl: 1_000, autoExtend: true });
    await Promise.all(doomed.servers.map((server) => server.kill()));
    await expect(aborted(lock)).resolves.toMatchObject({ code: 'LOCK_LOST' });
    expect([lock.isValid, lock.validity]).toEqual([false, 0]);
    expect(events.filter(({ type }) => type === 'lost')).toHaveLength(1);
    await lock.release();
    await doomed.stop();
  });
});
