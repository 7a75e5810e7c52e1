import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { leftovers, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const ROUNDS = 100;
/** How many resources are raced for side by side where a round waits for time to pass. */
const AT_ONCE = 10;
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
  /** The winner releases. */
  const settled = async (won: Lock | string): Promise<string> => {
    if (typeof won === 'string') return won;
    expect(won.isValid).toBe(true);
    await won.release();
    return 'acquired';
  };
  /** As soon as every node has done what it was sent. */
  const nothingLeft = async (): Promise<void> => {
    await Promise.all([holder!, waiter!, third!].map(allDone));
    expect(await leftovers(pool)).toEqual([]);
  };
  const settle = async (taken: Promise<Lock | string>): Promise<string> => {
    const end = await settled(await taken);
    await nothingLeft();
    return end;
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
    const ends: string[] = [];
    /** The wait ends after 100 ms, and the holder lets go at about the same time. */
    const race = async (releaseAfter: number): Promise<void> => {
      const resource = pool.resource();
      const lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
      const taken = untilTaken(waiter!.redlock.acquire(resource, { ...TERMS, waitTimeout: 100 }));
      await sleep(releaseAfter);
      await lock.release();
      ends.push(await settled(await taken));
    };
    for (let round = 0; round < ROUNDS / AT_ONCE; round += 1) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => race(95 + index)));
      await nothingLeft();
    }
    expect(ends.filter((end) => end !== 'acquired' && end !== 'ResourceLockedError')).toEqual([]);
    expect(ends).toHaveLength(ROUNDS);
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
