import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { linesOf, nothingLeft, standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { SeededRandom } from '../../support/seeded-random.js';

/** Does not ask again by itself, neither later nor because a node is silent. */
const NODE_TIMEOUT = 60_000;
const IN_LINE = { retryDelay: 60_000, waitTimeout: 15_000, ttl: 60_000 };

/** Takes whatever chance decides by the first of all possibilities. */
class LowRandom extends SeededRandom {
  override fraction(): number {
    return 0;
  }
}

describe('two waiters, each of which has some of the nodes', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(4)));
  afterAll(() => pool.stop());

  /** A client whose requests to these nodes are held back until what this returns is called. */
  const slowOn = async (servers: readonly number[]): Promise<[RedisPoolClient, () => void]> => {
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: NODE_TIMEOUT });
    for (const server of servers) proxies[server]!.pause();
    return [client, () => servers.forEach((server) => proxies[server]!.resume())];
  };
  const owned = (resource: string, servers: number[]): Promise<void> =>
    eventually(async () => expect(await pool.owners(resource, servers)).not.toContain(null));

  it('come one after the other: the younger gives way, and is called when the older one is done', async () => {
    const resource = pool.resource();
    const [older, hurryOlder] = await slowOn([2, 3]);
    const [younger, hurryYounger] = await slowOn([0, 1]);
    const first = older.redlock.acquire(resource, IN_LINE);
    await owned(resource, [0, 1]);
    const second = younger.redlock.acquire(resource, IN_LINE);
    await owned(resource, [2, 3]);
    hurryOlder();
    await standing(pool, 1, resource, [2, 3]);
    hurryYounger();
    const lock = await first;
    await standing(pool, 1, resource);
    await lock.release();
    await (await second).release();
    // By then its own questions were over: it was called.
    const got = younger.events.find(({ type }) => type === 'acquired');
    expect(got).toMatchObject({ waited: expect.any(Number) });
    expect((got as { waited: number }).waited).toBeLessThan(IN_LINE.waitTimeout);
    await nothingLeft(pool, resource);
  });
});

describe('a waiter that sees the votes split among others', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(5)));
  afterAll(() => pool.stop());

  it('keeps its place in line, however often it asks', async () => {
    const resource = pool.resource();
    for (const [server, value] of ['p', 'p', 'q', 'q', 'r'].entries()) {
      await pool.plant(server, resource, { value, ttl: 60_000 });
    }
    const [one, two] = [await pool.client({ random: new LowRandom(1, 'one') }), await pool.client()];
    const terms = { waitTimeout: 60_000, ttl: 60_000 };
    const first = one.redlock.acquire(resource, { ...terms, retryDelay: 300, retryJitter: 0 });
    await standing(pool, 1, resource);
    const [[me]] = (await linesOf(pool, resource)) as [[string]];
    const second = two.redlock.acquire(resource, { ...terms, retryDelay: 60_000 });
    await standing(pool, 2, resource);
    const asked = async (): Promise<number> => {
      const stats = await pool.ask(0, (redis) => redis.info('commandstats'));
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)![1]);
    };
    const enough = (await asked()) + 5;
    while ((await asked()) < enough) expect((await linesOf(pool, resource, [0]))[0]![0]).toBe(me);
    for (const server of pool.servers.keys()) await pool.ask(server, (redis) => redis.del(resource));
    await (await first).release();
    await (await second).release();
    await nothingLeft(pool, resource);
  });
});
