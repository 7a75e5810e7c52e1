import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SCRIPT } from '../../../lib/redis/scripts/operations.lua.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { leftovers } from '../../support/node-lines.js';

/** Forgets what was sent so far, and delays the replies to what comes. */
function delayReplies(proxies: readonly FaultProxy[], ms: number): void {
  for (const proxy of proxies) {
    proxy.replyDelay = ms;
    proxy.commands.length = 0;
  }
}

/** That of `allDone`, which is a script call as well. */
const PROBE = 'EVALSHA';

/** The script calls among what a node was sent. */
const scripts = ({ commands }: FaultProxy): string[] => commands.filter((name) => name.startsWith('EVAL'));

describe('scripts that the nodes have forgotten (SCRIPT FLUSH)', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(3)));
  afterAll(() => pool.stop());

  const forget = (server: number) =>
    pool.ask(server, (redis) => redis.script('FLUSH', 'SYNC').then(() => redis.config('RESETSTAT')));
  /** A release that could not be sent again in order is owed, and is tried again by itself. */
  const isGone = (resource: string) =>
    eventually(async () => expect(await pool.owners(resource)).toEqual([null, null, null]));
  const flushScripts = () => Promise.all([...pool.servers.keys()].map(forget));

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

  it('are sent again in order, so that an attempt that was undone meanwhile leaves no key', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url), nodeTimeout: 100 });
    await allDone(client);
    await flushScripts();
    delayReplies(proxies, 1_500);
    const attempt = client.redlock.acquire(resource, { ttl: 60_000, waitTimeout: 0 });
    await expect(attempt).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    // The node knows neither. It gets the script again, and only the release, behind which nothing was sent, with it.
    const calls = ['EVALSHA', 'EVALSHA', 'EVAL', 'EVAL'];
    await eventually(() => expect(proxies.map(({ commands }) => commands)).toEqual([calls, calls, calls]));
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
    expect(scripts(proxies[0]!)).toEqual([...calls, PROBE]);
  });

  it('that another process has sent meanwhile leave no key behind: what they refused must not come after its release', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url) });
    await allDone(client);
    await forget(0);
    delayReplies(proxies.slice(0, 1), 1_000);
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await pool.ask(0, (redis) =>
      eventually(async () => expect(await redis.info('errorstats')).toContain('errorstat_NOSCRIPT')),
    );
    await pool.ask(0, (redis) => redis.script('LOAD', SCRIPT));
    await lock.release();
    await allDone(client);
    await isGone(resource);
  });

  it('are sent again in order, so that an extension does not plant again what was released meanwhile', async () => {
    const resource = pool.resource();
    const proxies = await pool.proxies();
    const client = await pool.client({ nodes: proxies.map(({ url }) => url) });
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    await allDone(client);
    await flushScripts();
    delayReplies(proxies, 600);
    const extension = lock.extend().catch((error: unknown) => error);
    await eventually(() => expect(proxies[0]!.commands).toEqual(['EVALSHA']));
    await lock.release();
    await expect(extension).resolves.toMatchObject({ code: 'LOCK_LOST' });
    await allDone(client);
    expect(await pool.owners(resource)).toEqual([null, null, null]);
    expect(scripts(proxies[0]!)).toEqual(['EVALSHA', 'EVALSHA', 'EVAL', 'EVAL', PROBE]);
  });

  it('are sent again in order also where further commands follow meanwhile', async () => {
    const resources = Array.from({ length: 5 }, () => pool.resource());
    const [proxy] = await pool.proxies();
    const client = await pool.client({ nodes: [proxy!.url] });
    await allDone(client);
    await pool.ask(0, (redis) => redis.script('FLUSH', 'SYNC'));
    // Also by the script's text each connection is introduced.
    proxy!.commands.length = 0;
    proxy!.replyDelay = 50;
    const rounds = resources.map(async (resource, index) => {
      await setTimeout(index * 20); // some before the refusal is here, some while it is being dealt with
      const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
      await lock.extend();
      await lock.release();
    });
    await expect(Promise.all(rounds)).resolves.toHaveLength(5);
    expect(await Promise.all(resources.map((resource) => pool.owners(resource, [0])))).toEqual(Array(5).fill([null]));
  });
});

describe('commands', () => {
  let pool: RedisPool;
  let proxy: FaultProxy;
  let client: RedisPoolClient;
  beforeEach(async () => {
    pool = await RedisPool.start(1);
    proxy = (await pool.proxies())[0]!;
    client = await pool.client({ nodes: [proxy.url] });
    await allDone(client);
    proxy.commands.length = 0;
  });
  afterEach(() => pool.stop());

  it('are one EVALSHA per verb and node, once the node is connected', async () => {
    const lock = await client.redlock.acquire('a');
    await lock.extend();
    await lock.release();
    expect(proxy.commands).toEqual(['EVALSHA', 'EVALSHA', 'EVALSHA']);
  });

  it('of one turn of the event loop are one EVALSHA, whatever they ask', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `resource-${index}`);
    const locks = await Promise.all([
      ...names.map((name) => client.redlock.acquire(name)),
      taken('x', 'y'),
      taken('z'),
    ]);
    expect(proxy.commands).toEqual(['EVALSHA']);
    const [first, ...others] = locks;
    await Promise.all([first.extend(), ...others.map((lock) => lock.release()), client.redlock.tryAcquire('other')]);
    expect(proxy.commands).toEqual(['EVALSHA', 'EVALSHA']);
    expect(await pool.ask(0, (redis) => redis.keys('*'))).toEqual(expect.arrayContaining(['other', 'resource-0']));
    expect(await leftovers(pool)).toHaveLength(2);
  });

  it('of one turn that are very many are several, so that no other client of the node has to wait for long', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `resource-${index}`);
    // A caller whose turn comes when a twelfth of its lease is over extends it first; nothing on a slow machine takes a twelfth of this one.
    const locks = await Promise.all(names.map((name) => client.redlock.acquire(name, { ttl: 600_000 })));
    const calls = proxy.commands.length;
    expect(calls).toBe(8);
    await Promise.all(locks.map((lock) => lock.release()));
    await eventually(() => expect(proxy.commands).toEqual(Array(2 * calls).fill('EVALSHA')));
    expect(await leftovers(pool)).toEqual([]);
  });

  it('that fail, here because a line has another type, do not affect the other commands of the batch', async () => {
    await pool.ask(0, (redis) => redis.mset({ held: 'foreign', 'held~queue': 'data' }));
    const asked = ['before', 'held', 'after'].map((name) => client.redlock.acquire(name, { waitTimeout: 500 }));
    const answers = await Promise.allSettled(asked);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[1]).toMatchObject({ reason: { code: 'QUORUM_NOT_REACHED' } });
    expect(proxy.commands[0]).toBe('EVALSHA');
    expect(await pool.ask(0, (redis) => redis.get('held~queue'))).toBe('data');
  });

  const taken = (...resources: string[]) => client.redlock.acquire(resources);
});
