import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** What other Redlock libraries send (the Redis distributed-locks page). */
const COMPARE_AND_DELETE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

describe('the plain layout', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    client = await pool.client({ keyPrefix: '' });
  });
  afterAll(() => pool.stop());

  const foreignSet = (resource: string, ttl: number) =>
    Promise.all(
      [...pool.servers.keys()].map((server) =>
        pool.ask(server, (redis) => redis.set(resource, 'another library', 'PX', ttl, 'NX')),
      ),
    );

  it('keeps us out of what another library holds, until it releases', async () => {
    const resource = pool.resource();
    expect(await foreignSet(resource, 60_000)).toEqual(['OK', 'OK', 'OK']);
    await expect(client.redlock.tryAcquire(resource)).resolves.toBeNull();
    const releases = [...pool.servers.keys()].map((server) =>
      pool.ask(server, (redis) => redis.eval(COMPARE_AND_DELETE, 1, resource, 'another library')),
    );
    expect(await Promise.all(releases)).toEqual([1, 1, 1]);
    await expect(client.redlock.tryAcquire(resource)).resolves.toMatchObject({ isValid: true });
  });

  it('gives back what is still ours where another made a list of one of our keys, which counts as taken', async () => {
    const [ours, theirs] = [pool.resource(), pool.resource()];
    const lock = await client.redlock.acquire([theirs, ours], { ttl: 60_000 });
    await allDone(client);
    const servers = [...pool.servers.keys()];
    for (const server of servers) {
      await pool.ask(server, (redis) => redis.multi().del(theirs).lpush(theirs, 'x').exec());
    }
    await expect(lock.extend()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await lock.release();
    await allDone(client);
    expect(await Promise.all(servers.map((server) => pool.ask(server, (redis) => redis.exists(ours))))).toEqual([
      0, 0, 0,
    ]);
    expect(await Promise.all(servers.map((server) => pool.ask(server, (redis) => redis.del(theirs))))).toEqual([
      1, 1, 1,
    ]);
  });

  it('keeps another library out of what we hold, until we release', async () => {
    const resource = pool.resource();
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await allDone(client);
    expect(await foreignSet(resource, 60_000)).toEqual([null, null, null]);
    const theft = pool.ask(0, (redis) => redis.eval(COMPARE_AND_DELETE, 1, resource, 'another library'));
    await expect(theft).resolves.toBe(0);
    await lock.release();
    await allDone(client);
    expect(await foreignSet(resource, 60_000)).toEqual(['OK', 'OK', 'OK']);
  });

  it('is a string under the name of the resource that holds the value and expires', async () => {
    const resource = pool.resource();
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await allDone(client);
    const [type, value, left] = await pool.ask(0, (redis) =>
      Promise.all([redis.type(resource), redis.get(resource), redis.pttl(resource)]),
    );
    expect([type, value]).toEqual(['string', lock.value]);
    expect(left).toBeGreaterThan(30_000);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('is the same for a lock that was handed over, with its whole ttl', async () => {
    const resource = pool.resource();
    const lock = await client.redlock.acquire(resource);
    const waiting = (await pool.client()).redlock.acquire(resource, { ttl: 60_000, retryDelay: 60_000 });
    await standing(pool, 1, resource);
    await lock.release();
    const { value, validity } = await waiting;
    const kept = await pool.ask(0, (redis) => Promise.all([redis.get(resource), redis.pttl(resource)]));
    expect(kept).toEqual([value, expect.any(Number)]);
    for (const left of [validity, kept[1]]) expect(left).toBeGreaterThan(0.9 * 60_000);
  });

  it('has keys beside it whose endings no resource may have', async () => {
    const prefix = pool.resource();
    const [holder, waiter] = await Promise.all([1, 2].map(() => pool.client({ keyPrefix: prefix })));
    const lock = await holder!.redlock.acquire('a');
    const waiting = waiter!.redlock.acquire('a');
    await standing(pool, 1, `${prefix}a`);
    const keys = await pool.ask(0, (redis) => redis.keys(`${prefix}*`));
    const beside = keys.map((key) => key.slice(prefix.length)).filter((key) => key !== 'a');
    expect(beside.sort()).toEqual(['a~places', 'a~queue', '~fence', '~waiting']);
    await lock.release();
    await (await waiting).release();
    for (const key of beside) await expect(client.redlock.acquire(key)).rejects.toMatchObject({ code: 'LOCK_KEY' });
  });

  it('leaves a lock to die by its ttl where its holder died', async () => {
    const resource = pool.resource();
    const other = await pool.client();
    await other.redlock.acquire(resource, { ttl: 300 });
    await eventually(async () => expect(await pool.owners(resource)).toEqual([null, null, null]));
    expect(await foreignSet(resource, 60_000)).toEqual(['OK', 'OK', 'OK']);
  });
});
