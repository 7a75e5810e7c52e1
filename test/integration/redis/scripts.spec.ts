import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool } from '../../support/redis-pool.js';

describe('scripts that the nodes have forgotten (SCRIPT FLUSH)', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(3)));
  afterAll(() => pool.stop());

  const flushScripts = () =>
    Promise.all([...pool.servers.keys()].map((server) => pool.ask(server, (redis) => redis.script('FLUSH', 'SYNC'))));

  it('between acquire and release leave no key behind', async () => {
    const resource = pool.resource();
    const client = await pool.client();
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await flushScripts();
    await lock.release();
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
  });

  it('between acquire and release in one turn leave no key behind', async () => {
    const resource = pool.resource();
    const client = await pool.client();
    await flushScripts();
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await lock.release();
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
  });

  it('in the middle of use make no difference', async () => {
    const resource = pool.resource();
    const client = await pool.client();
    await flushScripts();
    const lock = await client.redlock.acquire(resource, { ttl: 10_000 });
    await flushScripts();
    await lock.extend(60_000);
    await allDone(client);
    expect(await pool.ask(0, (redis) => redis.pttl(resource))).toBeGreaterThan(10_000);
    await flushScripts();
    await expect(client.redlock.tryAcquire(resource)).resolves.toBeNull();
    await flushScripts();
    await lock.release();
    await expect(client.redlock.tryAcquire(resource)).resolves.toMatchObject({ isValid: true });
  });

  it('do not plant the keys of an attempt that was undone meanwhile', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: 100 });
    await allDone(client);
    await flushScripts();
    for (const proxy of proxies) proxy.replyDelay = 400;
    const attempt = client.redlock.acquire(resource, { ttl: 60_000, waitTimeout: 0 });
    await expect(attempt).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    // Two EVALSHA that the node does not know; of these only the release is sent again.
    const evals = () => proxies.map(({ commands }) => commands.filter((name) => name === 'EVAL').length);
    await eventually(() => expect(evals()).toEqual([1, 1, 1]));
    await allDone(client);
    expect(evals()).toEqual([1, 1, 1]);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
  });

  it('do not extend or plant again what was released meanwhile', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url) });
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await allDone(client);
    await flushScripts();
    for (const proxy of proxies) proxy.replyDelay = 200;
    const extension = lock.extend().catch((error: unknown) => error);
    await eventually(() => expect(proxies[0]!.commands.filter((name) => name === 'EVALSHA')).toHaveLength(2));
    await lock.release();
    await expect(extension).resolves.toMatchObject({ code: 'LOCK_LOST' });
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
    expect(proxies[0]!.commands.filter((name) => name === 'EVAL')).toHaveLength(1);
  });
});

describe('commands', () => {
  it('are one EVALSHA per verb and node, once the node is connected', async () => {
    const pool = await RedisPool.start(1);
    const [proxy] = await pool.proxies();
    const client = await pool.client({ nodes: [proxy!.url] });
    await allDone(client);
    proxy!.commands.length = 0;
    const lock = await client.redlock.acquire('a');
    await lock.extend();
    await lock.release();
    expect(proxy!.commands).toEqual(['EVALSHA', 'EVALSHA', 'EVALSHA']);
    await pool.stop();
  });
});
