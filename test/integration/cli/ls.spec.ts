import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockView } from '../../../lib/cli/locks/lock-view.js';
import { asked, commandLine } from '../../support/command-line.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

interface Locks {
  readonly quorum: number;
  readonly answered: number;
  readonly nodes: readonly { readonly node: string; readonly up: boolean }[];
  readonly locks: readonly LockView[];
  readonly more: boolean;
}

const PREFIX = 'lock:';
const LONG = { ttl: 60_000, waitTimeout: 120_000, retryDelay: 60_000 };
/** What the values of the clients of this test begin with. */
const MARK = `node@${hostname()}#${process.pid}`;
const HOLDER = { mark: MARK, application: 'node', host: hostname(), pid: process.pid };

let pool: RedisPool;
let client: RedisPoolClient;

beforeAll(async () => {
  pool = await RedisPool.start(3);
  client = await pool.client({ keyPrefix: PREFIX });
});
const others: RedisPool[] = [];

afterAll(() => Promise.all([pool, ...others].map((one) => one.stop())));

const onAll = (ask: Parameters<RedisPool['ask']>[1]): Promise<unknown[]> =>
  Promise.all(pool.servers.map((_, server) => pool.ask(server, ask)));
const list = (pattern: string, ...more: string[]) => asked<Locks>(pool.servers, 'ls', pattern, ...more);

describe('nestjs-redlock ls', () => {
  it('lists the holder of a lock, the rest of its lease on each node, the number of its votes, and the waiters', async () => {
    const lock = await client.redlock.acquire('order:1', LONG);
    const rival = await pool.client({ keyPrefix: PREFIX });
    const waiting = rival.redlock.acquire('order:1', LONG);
    await standing(pool, 1, `${PREFIX}order:1`);
    const { locks, code } = await list('order:*');
    expect(code).toBe(0);
    expect(locks).toEqual([
      {
        resource: 'order:1',
        kind: 'a lock',
        value: lock.value,
        holder: HOLDER,
        votes: 3,
        held: true,
        nodes: pool.urls.map((node) => ({ node, value: lock.value, ttl: expect.any(Number) })),
        waiters: [HOLDER],
      },
    ]);
    for (const { ttl } of locks[0]!.nodes) expect(ttl).toBeGreaterThan(30_000);
    await lock.release();
    await (await waiting).release();
  });

  it('says it in a table, and what it knows of a process', async () => {
    const lock = await client.redlock.acquire('table', LONG);
    await pool.ask(2, (redis) => redis.del(`${PREFIX}table`));
    const { out } = await commandLine(['ls', 'table', '--nodes', pool.urls.join()]);
    expect(out).toMatch(/^RESOURCE +HOLDER +TTL LEFT PER NODE +VOTES +WAITERS +KIND\n/);
    expect(out).toMatch(
      /table +node on [\w.-]+, pid \d+ +[\d.]+ (s|min.*) \| [\d.]+ (s|min.*) \| - +2\/3 +0 +a lock\n/,
    );
    await lock.release();
  });

  it.each<[string, string, (redis: Parameters<Parameters<RedisPool['ask']>[1]>[0], key: string) => Promise<unknown>]>([
    ['a lock of another library', 'a foreign lock', (redis, key) => redis.set(key, 'a-uuid', 'PX', 60_000)],
    ['a hash', 'a hash: Redisson?', (redis, key) => redis.hset(key, 'uuid:1', '1')],
    ['a sorted set', 'a sorted set: Symfony, or a semaphore?', (redis, key) => redis.zadd(key, 1, 'token')],
    ['a list', 'a list: no lock of this library', (redis, key) => redis.lpush(key, 'job')],
  ])('calls %s by its name: %s', async (_case, kind, plant) => {
    await onAll((redis) => plant(redis, `${PREFIX}foreign`));
    const { locks } = await list('foreign');
    expect(locks).toMatchObject([{ resource: 'foreign', kind }]);
    await onAll((redis) => redis.del(`${PREFIX}foreign`));
  });

  it('lists a line without a lock, and not what nodes have beside locks', async () => {
    await onAll((redis) => redis.zadd(`${PREFIX}free~queue`, 1, `${PREFIX}~hand-off:x`));
    for (const pattern of ['free', '*']) {
      const { locks } = await list(pattern);
      expect(locks).toMatchObject([{ resource: 'free', kind: 'free, with a queue', votes: 0, waiters: [{}] }]);
    }
    await onAll((redis) => redis.del(`${PREFIX}free~queue`));
    expect((await list('*')).locks).toEqual([]);
    expect((await commandLine(['ls', '--nodes', pool.urls.join()])).out).toBe('Nothing is locked.\n');
  });

  it('takes the prefix as it is written, also where it has characters of a pattern', async () => {
    const keys = ['app[1]*:a', 'app1x:a', 'app[1]*:b'];
    await onAll((redis) => redis.mset(keys.flatMap((key) => [key, 'x'])));
    const { locks } = await list('*', '--prefix', 'app[1]*:');
    expect(locks.map(({ resource }) => resource)).toEqual(['a', 'b']);
    expect(locks[0]!.nodes[0]).toMatchObject({ ttl: null });
    await onAll((redis) => redis.del(...keys));
  });

  it('lists no more than it is told to, and says that there is more', async () => {
    await onAll((redis) => redis.mset(['1', '2', '3'].flatMap((name) => [`${PREFIX}many:${name}`, 'x'])));
    expect(await list('many:*', '--limit', '2')).toMatchObject({ more: true, locks: [{}, {}] });
    const { out } = await commandLine(['ls', 'many:*', '--limit', '2', '--nodes', pool.urls.join()]);
    expect(out).toContain('... and more');
    await onAll((redis) => redis.del(`${PREFIX}many:1`, `${PREFIX}many:2`, `${PREFIX}many:3`));
  });

  it('reads a resource without a wildcard at once, however many keys there are', async () => {
    await onAll((redis) => redis.set(`${PREFIX}order:7`, 'x', 'PX', 60_000));
    await onAll((redis) => redis.config('RESETSTAT'));
    expect(await list('order:7')).toMatchObject({ code: 0, locks: [{ resource: 'order:7', held: true }] });
    expect(await list('order:7~queue')).toMatchObject({ code: 0, locks: [{ resource: 'order:7' }] });
    for (const stats of await onAll((redis) => redis.info('commandstats'))) expect(stats).not.toContain('cmdstat_scan');
    await onAll((redis) => redis.del(`${PREFIX}order:7`));
  });

  it('lists 10,000 locks with few questions and little work', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `${PREFIX}big:${at}`);
    await onAll((redis) => redis.mset(names.flatMap((name) => [name, 'x'.repeat(27)])));
    await onAll((redis) => redis.config('RESETSTAT'));
    const began = process.cpuUsage();
    const { locks, more, code } = await list('big:*', '--limit', '10000', '--timeout', '60000');
    const { user, system } = process.cpuUsage(began);
    expect([locks.length, more, code]).toEqual([10_000, false, 0]);
    for (const stats of await onAll((redis) => redis.info('commandstats'))) {
      expect(Number(/cmdstat_eval:calls=(\d+)/.exec(String(stats))![1])).toBeLessThan(100);
      expect(Number(/cmdstat_scan:calls=(\d+)/.exec(String(stats))![1])).toBeLessThan(100);
    }
    expect((user + system) / 1_000).toBeLessThan(4_000);
    await onAll((redis) => redis.unlink(...names));
  });

  it('reads no long text of another program', async () => {
    await pool.ask(0, (redis) => redis.set(`${PREFIX}report`, 'x'.repeat(5_000_000)));
    const { locks } = await list('report');
    expect(locks).toMatchObject([{ kind: 'a long text: no lock of this library', votes: 0 }]);
    await pool.ask(0, (redis) => redis.del(`${PREFIX}report`));
  });

  it('never lets a name control the terminal', async () => {
    const name = '\u001B[2Jx\u202Ey\u009B\u200B';
    await onAll((redis) => redis.set(`${PREFIX}${name}`, '\u001B[31m', 'PX', 60_000));
    const { out } = await commandLine(['ls', '--nodes', pool.urls.join()]);
    expect(out).toContain('\\u{1b}[2Jx\\u{202e}y\\u{9b}\\u{200b}');
    const json = await commandLine(['ls', '--json', '--nodes', pool.urls.join()]);
    expect(json.out).toContain('"resource":"\\u001b[2Jx\\u202ey\\u009b\\u200b"');
    for (const text of [out, json.out]) expect(text).toMatch(/^[ -~]*$/m);
    await onAll((redis) => redis.del(`${PREFIX}${name}`));
  });

  it('never runs KEYS, which would keep a node from its locks', async () => {
    await onAll((redis) => redis.config('RESETSTAT'));
    await list('*');
    for (const stats of await onAll((redis) => redis.info('commandstats'))) {
      expect(stats).toContain('cmdstat_scan:');
      expect(stats).not.toContain('cmdstat_keys:');
    }
  });

  it('goes on without a node that refuses to show its keys, and says so', async () => {
    await pool.ask(0, (redis) => redis.acl('SETUSER', 'narrow', 'on', '>secret', '~*', '&*', '+@all', '-scan'));
    await onAll((redis) => redis.set(`${PREFIX}a`, 'x', 'PX', 60_000));
    const [first, ...rest] = pool.urls;
    const nodes = [first!.replace('//', '//narrow:secret@'), ...rest].join();
    const { out, code } = await commandLine(['ls', 'a*', '--nodes', nodes]);
    expect(code).toBe(1);
    expect(out).toMatch(/a +another library +\? \| .* 2\/3 /);
    expect(out).toMatch(/! redis:\S+ does not count: NOPERM.*scan/);
    expect(await asked<Locks>([{ url: nodes.split(',')[0]! }], 'ls')).toMatchObject({ code: 2, locks: [] });
    await onAll((redis) => redis.del(`${PREFIX}a`));
  });

  it('ends with 1 where a node is down, whose locks it does not know, and with 2 without a quorum', async () => {
    const own = await RedisPool.start(3);
    others.push(own);
    await own.ask(0, (redis) => redis.set(`${PREFIX}a`, 'x', 'PX', 60_000));
    await own.servers[1]!.kill();
    const one = await commandLine(['ls', '--nodes', own.urls.join()]);
    expect(one.code).toBe(1);
    expect(one.out).toMatch(/ \| \? \| - +1\/3\? /);
    expect(one.out).toMatch(/! redis:\S+ does not count: connect ECONNREFUSED/);
    await own.servers[2]!.kill();
    expect(await asked<Locks>(own.servers, 'ls')).toMatchObject({ code: 2, locks: [{ resource: 'a', votes: 1 }] });
  });
});

describe('nestjs-redlock ls, if nodes do not answer', () => {
  it('says what is locked only if a quorum answers, and how many do', async () => {
    const own = await RedisPool.start(3);
    others.push(own);
    const run = (...args: string[]) => commandLine(['ls', ...args, '--nodes', own.urls.join()]);
    expect(await run()).toMatchObject({ code: 0, out: 'Nothing is locked.\n' });
    expect(await run('order:*')).toMatchObject({ code: 0, out: 'Nothing that fits order:* is locked.\n' });
    await own.servers[0]!.kill();
    const one = await run();
    expect(one.code).toBe(1);
    expect(one.out).toMatch(
      /^Nothing is locked: 2 of 3 nodes answered, and a lock needs 2\.\n! redis:\S+ does not count: connect ECONNREFUSED/,
    );
    await own.ask(2, (redis) => redis.set(`${PREFIX}a`, 'x', 'PX', 60_000));
    expect((await run()).out).toMatch(
      / 1\/3\? .*\n2 of 3 nodes answered, and a lock needs 2: no lock is missing here\.\n! /,
    );
    await own.servers[1]!.kill();
    const two = await run();
    expect(two.code).toBe(2);
    expect(two.out).toMatch(/ 1\/3\? .*\nMore may be locked: 1 of 3 nodes answered, and a lock needs 2\.\n! .*\n! /);
    const json = await asked<Locks>(own.servers, 'ls');
    expect(json).toMatchObject({ code: 2, answered: 1, quorum: 2, locks: [{ held: null, votes: 1 }] });
    expect(json.nodes.map(({ up }) => up)).toEqual([false, false, true]);
    await own.servers[2]!.kill();
    for (const name of ['*', 'a']) {
      const none = await run(name);
      expect(none.code).toBe(2);
      expect(none.out).toMatch(/^What is locked is unknown: 0 of 3 nodes answered, and a lock needs 2\.\n(! .*\n){3}$/);
      expect(none.out).not.toContain('Nothing');
    }
  });

  it('says of a lock whether a quorum has it, as far as the nodes that answer can tell', async () => {
    const own = await RedisPool.start(3);
    others.push(own);
    await own.ask(0, (redis) => redis.set(`${PREFIX}a`, 'x', 'PX', 60_000));
    expect((await asked<Locks>(own.servers, 'ls')).locks).toMatchObject([{ votes: 1, held: false }]);
    await own.ask(1, (redis) => redis.set(`${PREFIX}a`, 'x', 'PX', 60_000));
    expect((await asked<Locks>(own.servers, 'ls')).locks).toMatchObject([{ votes: 2, held: true }]);
    await own.servers[2]!.kill();
    expect((await asked<Locks>(own.servers, 'ls')).locks).toMatchObject([{ votes: 2, held: true }]);
    await own.servers[1]!.kill();
    expect((await asked<Locks>(own.servers, 'ls')).locks).toMatchObject([{ votes: 1, held: null }]);
  });
});
