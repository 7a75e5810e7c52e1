import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const TERMS = { waitTimeout: 60_000, ttl: 60_000 };

/** Others know neither lines nor grants: they set a key where there is none, and delete it. */
describe('another Redlock library on the same keys', () => {
  let pool: RedisPool;
  let [client, rival]: RedisPoolClient[] = [];
  let resource: string;
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [client, rival] = [await pool.client(), await pool.client()];
  });
  beforeEach(() => void (resource = pool.resource()));
  afterAll(() => pool.stop());

  const onAll = <T>(ask: (server: number) => Promise<T>): Promise<T[]> =>
    Promise.all(pool.servers.map((_, server) => ask(server)));
  const set = (ttl = 60_000): Promise<(string | null)[]> =>
    onAll((server) => pool.ask(server, (redis) => redis.set(resource, 'another library', 'PX', ttl, 'NX')));
  const del = (): Promise<number[]> => onAll((server) => pool.ask(server, (redis) => redis.del(resource)));
  const granted = ['OK', 'OK', 'OK', 'OK', 'OK'];
  const refused = [null, null, null, null, null];

  it('is waited for until it deletes its keys', async () => {
    expect(await set()).toEqual(granted);
    const taking = client!.redlock.acquire(resource, TERMS);
    await standing(pool, 1, resource);
    expect(await del()).toEqual([1, 1, 1, 1, 1]);
    const lock = await taking;
    expect(lock.isValid).toBe(true);
    await lock.release();
    await nothingLeft(pool, resource);
  });

  it('is waited for until its keys expire', async () => {
    expect(await set(1_000)).toEqual(granted);
    await (await client!.redlock.acquire(resource, TERMS)).release();
    await nothingLeft(pool, resource);
  });

  it('is waited for by several waiters, which then hand the lock over', async () => {
    expect(await set()).toEqual(granted);
    const first = client!.redlock.acquire(resource, TERMS);
    await standing(pool, 1, resource);
    const second = rival!.redlock.acquire(resource, { ...TERMS, retryDelay: 60_000 });
    await standing(pool, 2, resource);
    await del();
    await (await first).release();
    await (await second).release();
    await nothingLeft(pool, resource);
  });

  it('does not get what we hold, nor what we hand over', async () => {
    const lock = await client!.redlock.acquire(resource, TERMS);
    const taking = rival!.redlock.acquire(resource, { ...TERMS, retryDelay: 60_000 });
    await standing(pool, 1, resource);
    expect(await set()).toEqual(refused);
    await lock.release();
    await allDone(client!);
    expect(await set()).toEqual(refused);
    const next = await taking;
    expect(await set()).toEqual(refused);
    await next.release();
    await allDone(rival!);
    expect(await set()).toEqual(granted);
    await del();
  });

  it('with a minority of the nodes does not keep us from the rest', async () => {
    for (const server of [0, 3]) await pool.plant(server, resource, { ttl: 60_000 });
    const lock = await client!.redlock.acquire(resource, TERMS);
    const taking = rival!.redlock.acquire(resource, { ...TERMS, retryDelay: 60_000 });
    await standing(pool, 1, resource, [1, 2, 4]);
    await lock.release();
    await (await taking).release();
    await allDone(rival!);
    expect(await pool.owners(resource)).toEqual(['foreign', null, null, 'foreign', null]);
    await del();
    await nothingLeft(pool, resource);
  });
});
