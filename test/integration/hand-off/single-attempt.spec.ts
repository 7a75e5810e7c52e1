import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Does not ask again: gets it by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };

describe('a single attempt beside waiters in line', () => {
  let pool: RedisPool;
  let [holder, waiter, other]: RedisPoolClient[] = [];
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [holder, waiter, other] = [await pool.client(), await pool.client(), await pool.client()];
  });
  afterAll(() => pool.stop());

  it('does not take what is free for a moment, and calls the first in line to it', async () => {
    const resource = pool.resource();
    await holder!.redlock.acquire(resource, { ttl: 60_000 });
    const waiting = waiter!.redlock.acquire(resource, IN_LINE);
    await standing(pool, 1, resource);
    await allDone(holder!);
    for (const server of pool.servers.keys()) await pool.ask(server, (redis) => redis.del(resource));
    expect(await other!.redlock.tryAcquire(resource)).toBeNull();
    await (await waiting).release();
    await nothingLeft(pool, resource);
  });

  it('never comes between them', async () => {
    const resource = pool.resource();
    const lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
    let served = 0;
    const waiting = Array.from({ length: 20 }, async (_, index) => {
      const taken = await [holder!, waiter!][index % 2]!.redlock.acquire(resource, IN_LINE);
      served += 1;
      await turn();
      await taken.release();
    });
    await standing(pool, 1, resource);
    const released = lock.release();
    let attempt: Lock | null = null;
    while (attempt === null) attempt = await other!.redlock.tryAcquire(resource, { ttl: 60_000 });
    expect(served).toBe(20);
    await attempt.release();
    await Promise.all([released, ...waiting]);
    await nothingLeft(pool, resource);
  });
});
