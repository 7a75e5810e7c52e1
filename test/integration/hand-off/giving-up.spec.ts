import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { eventually } from '../../support/eventually.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import { leftovers, linedUp, nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, type RedisPoolClient } from '../../support/redis-pool.js';

const TERMS = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };

describe('a waiter that gives up', () => {
  const { crew, pool } = crewOnNodes(5);
  let [holder, waiter]: RedisPoolClient[] = [];
  let resource: string;
  let lock: Lock;
  beforeAll(async () => {
    [holder, waiter] = [await pool.client(), await pool.client()];
  });
  beforeEach(async () => {
    resource = pool.resource();
    lock = await holder!.redlock.acquire(resource, { ttl: 60_000 });
  });

  /** No waiter stands in line once the nodes have done what they were sent; and the release leaves nothing. */
  const leavesNothing = async (client: RedisPoolClient): Promise<void> => {
    await allDone(client);
    expect(await leftovers(pool, resource)).toEqual(pool.urls.map((_, server) => `${resource} on ${server}`));
    await lock.release();
    await allDone(holder!);
    expect(await leftovers(pool, resource)).toEqual([]);
  };

  it('because of a signal in the turn in which it asked leaves neither a place nor a lock', async () => {
    const abort = new AbortController();
    const taking = waiter!.redlock.acquire(resource, { ...TERMS, signal: abort.signal });
    abort.abort(new Error('no longer needed'));
    await expect(taking).rejects.toThrow('no longer needed');
    await leavesNothing(waiter!);
  });

  it('because its pool is closed leaves neither a place nor a lock', async () => {
    const closing = await pool.client();
    const taken = [1, 2].map(() => closing.redlock.acquire(resource, TERMS).catch((error: unknown) => error));
    await standing(pool, 1, resource);
    await closing.redlock.close();
    for (const taking of taken) expect(await taking).toMatchObject({ code: 'CLOSED' });
    await standing(pool, 0, resource);
    await lock.release();
    await allDone(holder!);
    expect(await leftovers(pool, resource)).toEqual([]);
  });

  it.each(['exit', 'close'])('because its process ends by %s leaves no lock after the release', async (end) => {
    const [member] = await crew.start(1, pool.urls);
    member!.take({ resource, options: TERMS });
    await linedUp(pool, resource, [member!]);
    member!.order(end);
    await member!.exit;
    await eventually(async () => {
      const heard = pool.ask(0, (redis) => redis.pubsub('NUMSUB', member!.channel));
      expect(await heard).toEqual([member!.channel, 0]);
    });
    await lock.release();
    await nothingLeft(pool, resource);
  });

  it.each([
    ['is frozen', { ttl: 60_000, waitTimeout: 100 }],
    ['has been silent for long', { ttl: 60_000, waitTimeout: 1_500 }],
    ['is silent for longer than the lease would have lasted', { ttl: 200, waitTimeout: 1_500 }],
  ])('while a node %s leaves no place there', async (_, options) => {
    await allDone(holder!);
    // No release serves the line there.
    await pool.ask(2, (redis) => redis.set(resource, 'foreign', 'PX', 60_000));
    await pool.servers[2]!.freeze();
    const taking = waiter!.redlock.acquire(resource, { ...options, retryDelay: 100 });
    await expect(taking).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    const gaveUp = Date.now();
    await eventually(() => expect(Date.now() - gaveUp).toBeGreaterThan(400));
    await pool.servers[2]!.thaw();
    await eventually(async () => {
      const { nodes } = await waiter!.redlock.status();
      expect(nodes.map(({ up }) => up)).toEqual([true, true, true, true, true]);
    });
    await standing(pool, 0, resource);
  });
});
