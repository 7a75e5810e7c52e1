import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Does not ask again: gets it by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
/** Asks again while replies are held up. */
const POLLING = { retryDelay: 10, retryJitter: 5, waitTimeout: 60_000, ttl: 60_000 };

/**
 * Redis before 7.2 publishes a grant before it answers the batch that both put the waiter in line and granted it the
 * lock.
 */
describe('a grant that comes before the answer by which its waiter is known to wait', () => {
  let pool: RedisPool;
  let proxies: FaultProxy[];
  let one: RedisPoolClient;
  let other: RedisPoolClient;
  let [a, b]: string[] = [];
  let both: Lock;
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    other = await pool.client();
  });
  beforeEach(async () => {
    [a, b] = [pool.resource(), pool.resource()];
    proxies = await pool.proxies();
    one = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: 200 });
    await hadGrant();
    both = await one.redlock.acquire([a, b], { ttl: 60_000 });
    await allDone(one);
  });
  afterEach(() => one.redlock.close());
  afterAll(() => pool.stop());

  /** Has `one` get a lock by hand-off, so that it knows the secret by which nodes sign grants. */
  const hadGrant = async (): Promise<void> => {
    const resource = pool.resource();
    const held = await other.redlock.acquire(resource, { ttl: 60_000 });
    const taking = one.redlock.acquire(resource, IN_LINE);
    await standing(pool, 1, resource);
    await held.release();
    await (await taking).release();
  };
  /** How many batches each node got. */
  const sent = (): number[] => proxies.map(({ commands }) => commands.filter((name) => name === 'EVALSHA').length);
  /** Asks for one of the resources, and in the same turn gives all of them back. */
  const askAndRelease = async (options: LockOptions): Promise<{ taking: Promise<Lock>; released: Promise<void> }> => {
    const before = sent();
    const taking = one.redlock.acquire(a!, options);
    // Where all promises are settled already it is one turn all the same.
    await Promise.resolve();
    const released = both.release();
    await eventually(() => expect(sent().every((count, nodeIndex) => count > before[nodeIndex]!)).toBe(true));
    return { taking, released };
  };

  it('gives the lock to its waiter at once, instead of being given back', async () => {
    const { taking, released } = await askAndRelease({ ...IN_LINE, signal: AbortSignal.timeout(10_000) });
    const lock = await taking;
    await released;
    expect(await pool.owners(a!)).toEqual(Array(3).fill(lock.value));
    await lock.release();
    await nothingLeft(pool, a);
  });

  it('gives nobody a lock that another process may have too, where replies are held up', async () => {
    for (const proxy of proxies) proxy.pauseReplies();
    const before = sent();
    const { taking, released } = await askAndRelease(POLLING);
    // It asks, finds no answer in time, sees whether an older claim waits, and asks again.
    await eventually(() => expect(sent().every((count, nodeIndex) => count >= before[nodeIndex]! + 3)).toBe(true));
    for (const proxy of proxies) proxy.resume();
    const lock = await taking;
    await released;
    await allDone(one);
    expect(lock.isValid).toBe(true);
    expect(await pool.owners(a!)).toEqual(Array(3).fill(lock.value));
    expect(await other.redlock.tryAcquire(a!)).toBeNull();
    await lock.release();
    await nothingLeft(pool, a);
  });

  it('leaves nothing behind where its waiter has given up meanwhile', async () => {
    for (const proxy of proxies) proxy.pauseReplies();
    const giveUp = new AbortController();
    const { taking } = await askAndRelease({ ...POLLING, signal: giveUp.signal });
    giveUp.abort(new Error('had enough'));
    await expect(taking).rejects.toThrow('had enough');
    for (const proxy of proxies) proxy.resume();
    await nothingLeft(pool, a);
  });
});
