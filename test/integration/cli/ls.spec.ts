import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LockView } from '../../../lib/cli/locks/lock-view.js';
import { asked, commandLine } from '../../support/command-line.js';
import { standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

interface Locks {
  readonly nodes: readonly { readonly node: string; readonly up: boolean }[];
  readonly locks: readonly LockView[];
  readonly more: boolean;
}

const PREFIX = 'lock:';
const LONG = { ttl: 60_000, waitTimeout: 120_000, retryDelay: 60_000 };
const since = new Date(Date.now() - 7_320_000).toISOString();
const NOTE = { host: 'web-1', pid: 4711, application: 'orders', version: '0.1.0', since };

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
    const mark = lock.value.slice(0, 6);
    await onAll((redis) => redis.set(`${PREFIX}~process:${mark}`, JSON.stringify(NOTE), 'PX', 60_000));
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
        holder: { mark, ...NOTE },
        votes: 3,
        nodes: pool.urls.map((node) => ({ node, value: lock.value, ttl: expect.any(Number) })),
        waiters: [{ mark: expect.stringMatching(/^[\w-]{6}$/) }],
      },
    ]);
    for (const { ttl } of locks[0]!.nodes) expect(ttl).toBeGreaterThan(30_000);
    await lock.release();
    await (await waiting).release();
  });

  it('says it in a table, and what it knows of a process', async () => {
    const lock = await client.redlock.acquire('table', LONG);
    await pool.ask(1, (redis) => redis.set(`${PREFIX}~process:${lock.value.slice(0, 6)}`, JSON.stringify(NOTE)));
    await pool.ask(2, (redis) => redis.del(`${PREFIX}table`));
    const { out } = await commandLine(['ls', 'table', '--nodes', pool.urls.join()]);
    expect(out).toMatch(/^RESOURCE +HOLDER +PROCESS SINCE +TTL LEFT PER NODE +VOTES +WAITERS +KIND\n/);
    expect(out).toMatch(
      /table +orders on web-1, pid 4711 \([\w-]{6}\) +2 h 2 min ago +[\d.]+ (s|min.*) \| [\d.]+ (s|min.*) \| - +2\/3 +0 +a lock\n/,
    );
    await lock.release();
    await onAll((redis) => redis.del(`${PREFIX}~process:${lock.value.slice(0, 6)}`));
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
    await onAll((redis) => redis.zadd(`${PREFIX}free~waiters`, 1, `1000 ${'v'.repeat(27)} ${PREFIX}~grants:x`));
    for (const pattern of ['free', '*']) {
      const { locks } = await list(pattern);
      expect(locks).toMatchObject([{ resource: 'free', kind: 'free, with a line', votes: 0, waiters: [{}] }]);
    }
    await onAll((redis) => redis.del(`${PREFIX}free~waiters`));
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

  it('never lets a name control the terminal', async () => {
    const name = '\u001B[2Jx\u202Ey';
    await onAll((redis) => redis.set(`${PREFIX}${name}`, '\u001B[31m', 'PX', 60_000));
    const { out } = await commandLine(['ls', '--nodes', pool.urls.join()]);
    expect(out).toContain('\\u{1b}[2Jx\\u{202e}y');
    for (const character of ['\u001B', '\u202E']) expect(out).not.toContain(character);
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
    const { out, code } = await commandLine(['ls', 'a', '--nodes', nodes]);
    expect(code).toBe(1);
    expect(out).toMatch(/a +another library +- +\? \| .* 2\/3 /);
    expect(out).toMatch(/! redis:\S+ was not asked: NOPERM.*scan/);
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
    expect(one.out).toMatch(/ \| \? \| - +1\/3 /);
    expect(one.out).toMatch(/! redis:\S+ was not asked: connect ECONNREFUSED/);
    await own.servers[2]!.kill();
    expect(await asked<Locks>(own.servers, 'ls')).toMatchObject({ code: 2, locks: [{ resource: 'a', votes: 1 }] });
  });
});
