import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allDone, CALLS_OF_ALL_DONE, RedisPool } from '../../support/redis-pool.js';

describe('automatic extension', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(3)));
  afterAll(() => pool.stop());

  const callsOf = async (server: number): Promise<number> => {
    const stats = await pool.ask(server, (redis) => redis.info('commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };

  it.each([12, 60, 200])('with a ttl of %i ms is no hot loop', async (ttl) => {
    const { redlock } = await pool.client();
    const before = await callsOf(0);
    const lock = await redlock.acquire(pool.resource(), { ttl, autoExtend: true, waitTimeout: 20_000 });
    await setTimeout(1_000); // the span over which commands are counted
    await lock.release();
    expect((await callsOf(0)) - before).toBeLessThanOrEqual(1_000 / 5 + 20);
  });

  it('with a very long ttl sends nothing until it is due', async () => {
    const client = await pool.client();
    const before = await callsOf(0);
    const lock = await client.redlock.acquire(pool.resource(), { ttl: 10_000_000, autoExtend: true });
    await allDone(client);
    await setTimeout(50); // a timer that Node cuts short fires after 1 ms
    await allDone(client);
    expect((await callsOf(0)) - before).toBe(1 + 2 * CALLS_OF_ALL_DONE);
    expect(lock.isValid).toBe(true);
    await lock.release();
  });

  it('keeps a lock for longer than its ttl', async () => {
    const resource = pool.resource();
    const { redlock } = await pool.client();
    const rival = await pool.client();
    const work = redlock.withLock(
      resource,
      async (lock) => {
        await setTimeout(3_000); // three leases
        await expect(rival.redlock.tryAcquire(resource)).resolves.toBeNull();
        return lock.isValid;
      },
      { ttl: 1_000 },
    );
    await expect(work).resolves.toBe(true);
  });
});
