import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/core/api/lock.js';
import { leftovers, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const ROUNDS = 100;
/** Long, so that nothing that is left behind ends by itself. */
const TERMS = { ttl: 60_000, retryDelay: 60_000 };

describe('a grant that races the end of a wait', () => {
  let pool: RedisPool;
  let [holder, waiter, third]: RedisPoolClient[] = [];
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [holder, waiter, third] = [await pool.client(), await pool.client(), await pool.client()];
  });
  afterAll(() => pool.stop());

  const untilTaken = (taking: Promise<Lock>): Promise<Lock | string> => taking.catch(({ name }: Error) => name);
  /** Whoever won releases, and nothing is left as soon as every node has done what it was sent. */
  const settle = async (taken: Promise<Lock | string>): Promise<string> => {
    const won = await taken;
    if (typeof won !== 'string') {
      expect(won.isValid).toBe(true);
      await won.release();
    }
    await Promise.all([holder!, waiter!, third!].map(allDone));
    expect(await leftovers(pool)).toEqual([]);
    return typeof won === 'string' ? won : 'acquired';
  };

  it('leaves nothing locked where a signal ends the wait', async () => {
    const ends = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const resource = pool.resource();
      const lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
      const abort = new AbortController();
      const options = { ...TERMS, waitTimeout: 60_000, signal: abort.signal };
      const taken = untilTaken(waiter!.redlock.acquire(resource, options));
      await standing(pool, 1, resource);
      const released = lock.release();
      // From "before the release is sent" to "long after it is done".
      for (let turns = round % 20; turns > 0; turns -= 1) await turn();
      abort.abort();
      await released;
      ends.add(await settle(taken));
    }
    expect([...ends].filter((end) => end !== 'acquired')).toEqual(['AbortError']);
  });

  it('leaves nothing locked where the time of the wait ends', async () => {
    const ends = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const resource = pool.resource();
      const lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
      const taken = untilTaken(waiter!.redlock.acquire(resource, { ...TERMS, waitTimeout: 100 }));
      await sleep(95 + (round % 10));
      await lock.release();
      ends.add(await settle(taken));
    }
    expect([...ends].filter((end) => end !== 'acquired' && end !== 'ResourceLockedError')).toEqual([]);
  });

  it.each(['in another process', 'in the same process'])('gives the lock to the next in line %s', async (where) => {
    for (let round = 0; round < ROUNDS / 2; round += 1) {
      const resource = pool.resource();
      const lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
      const abort = new AbortController();
      const options = { ...TERMS, waitTimeout: 60_000 };
      const first = untilTaken(waiter!.redlock.acquire(resource, { ...options, signal: abort.signal }));
      await standing(pool, 1, resource);
      const next = where === 'in the same process' ? waiter! : third!;
      const second = untilTaken(next.redlock.acquire(resource, options));
      if (next === third) await standing(pool, 2, resource);
      const released = lock.release();
      for (let turns = round % 20; turns > 0; turns -= 1) await turn();
      abort.abort();
      await released;
      const won = await first;
      if (typeof won !== 'string') await won.release();
      expect(await settle(second)).toBe('acquired');
    }
  });
});
