import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import type { LockEvent } from '../../../lib/engine/events.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { realNodes } from '../../support/real-nodes.js';
import { eventually } from '../../support/eventually.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll } from '../../support/redis-server.js';
import { TRUSTING } from '../../support/trust.js';

describe('a node with', () => {
  const open: Redlock[] = [];
  /** What was told of nodes, with the first word of the reason. */
  const told: string[] = [];
  afterEach(async () => {
    told.length = 0;
    await Promise.all(open.splice(0).map((redlock) => redlock.close()));
    await stopAll();
  });
  afterAll(() => stopAll());

  const connect = async (node: string | RedisOptions, keyPrefix = ''): Promise<Redlock> => {
    const clock = new SystemClock();
    const nodes = realNodes([node], clock, TRUSTING, keyPrefix);
    const listener = (event: LockEvent): void => {
      if ('node' in event) told.push('reason' in event ? `${event.type}: ${event.reason.split(' ')[0]}` : event.type);
    };
    const redlock = new Redlock({ nodes, clock, nodeTimeout: 3_000, maxTtl: TRUSTING.maxTtl, listener });
    open.push(redlock);
    await redlock.open();
    return redlock;
  };
  const waitersOf = (url: string, key: string) => withRedis(url, (redis) => redis.zcard(`${key}~queue`));
  /** Why the only node gave no vote. */
  const refusal = async (redlock: Redlock): Promise<string | undefined> => {
    const error = await redlock.acquire('a', { waitTimeout: 0 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    return (error as { nodes: { detail?: string }[] }).nodes[0]!.detail;
  };

  it('a password lets in a client that knows it', async () => {
    const { url, host, port } = await startRedisServer({ args: ['--requirepass', 's3cret'] });
    const redlock = await connect(url.replace('//', '//:s3cret@'));
    await expect(redlock.acquire('a')).resolves.toMatchObject({ isValid: true });
    await expect((await connect({ host, port, password: 's3cret' })).tryAcquire('b')).resolves.not.toBeNull();
  });

  const locker = (...rights: string[]) => ['--user', 'locker', 'on', '>s3cret', '~locks:*', ...rights];
  const rights = [
    '+evalsha',
    '+eval',
    '+exists',
    '+get',
    '+set',
    '+del',
    '+pttl',
    '+pexpire',
    '+time',
    '+ping',
    '+hget',
    '+hset',
    '+hdel',
  ];
  const lineRights = ['&locks:~hand-off:*', '+subscribe', '+publish', '+zadd', '+zrem', '+zrange', '+zpopmin'];

  it('a user lets in a client that knows its name and password, and needs no more rights than the scripts use', async () => {
    const { url } = await startRedisServer({ args: locker(...rights, ...lineRights) });
    const address = url.replace('//', '//locker:s3cret@');
    const redlock = await connect(address, 'locks:');
    const lock = await redlock.acquire('a');
    await lock.extend();
    const waiting = (await connect(address, 'locks:')).acquire('a', { retryDelay: 60_000, retryJitter: 0 });
    await eventually(async () => expect(await waitersOf(url, 'locks:a')).toBe(1));
    await lock.release();
    await (await waiting).release();
    const both = await redlock.acquire(['a', 'b']);
    await both.extend();
    await both.release();
    await expect(withRedis(url, (redis) => redis.keys('locks:?'))).resolves.toEqual([]);
    expect((await redlock.status()).quorumReachable).toBe(true);
    expect(told).toEqual(Array(2).fill('node-up'));
  });

  it('a user without rights to channels locks all the same, is told that there is no hand-off, and asks again', async () => {
    const { url } = await startRedisServer({ args: locker(...rights) });
    const address = url.replace('//', '//locker:s3cret@');
    const lock = await (await connect(address, 'locks:')).acquire('a');
    await eventually(() => expect(told).toContain('hand-off-unavailable: NOPERM'));
    const redlock = await connect(address, 'locks:');
    await eventually(() => expect(told.filter((type) => type.includes('NOPERM'))).toHaveLength(2));
    const waiting = redlock.acquire('a', { retryDelay: 20, retryJitter: 0 });
    await lock.release();
    await expect(waiting).resolves.toMatchObject({ isValid: true });
    expect(await waitersOf(url, 'locks:a')).toBe(0);
  });

  it('a connection that speaks RESP2 only locks all the same, and is told that there is no hand-off', async () => {
    const { host, port, url } = await startRedisServer();
    const redlock = await connect({ host, port, protocol: 2 });
    expect(told).toContain('hand-off-unavailable: the');
    const lock = await redlock.acquire('a');
    const waiting = (await connect({ host, port, protocol: 2 })).acquire('a', { retryDelay: 20, retryJitter: 0 });
    await lock.release();
    await expect(waiting).resolves.toMatchObject({ isValid: true });
    expect(await waitersOf(url, 'a')).toBe(0);
  });

  it.each([
    ['a wrong password', '//:wr0ng@'],
    ['a wrong user', '//nobody:s3cret@'],
  ])('a password tells %s, and does not show it', async (_case, login) => {
    const { url } = await startRedisServer({ args: ['--requirepass', 's3cret'] });
    const why = await refusal(await connect(url.replace('//', login)));
    expect(why).toMatch(/WRONGPASS/);
    expect(why).not.toMatch(/wr0ng|s3cret/);
  });

  it.each([
    ['a name of its own', 'orders', 'orders'],
    ['no name', undefined, 'nestjs-redlock'],
  ])('%s is told from other connections by CLIENT LIST', async (_case, connectionName, name) => {
    const { host, port, url } = await startRedisServer();
    await connect({ host, port, connectionName });
    const clients = await withRedis(url, (redis) => redis.client('LIST'));
    expect(clients).toMatch(new RegExp(` name=${name} `));
  });

  it('a password says so when none was given', async () => {
    const { url } = await startRedisServer({ args: ['--requirepass', 's3cret'] });
    expect(await refusal(await connect(url))).toMatch(/NOAUTH/);
  });

  it('a user without rights to the keys says so', async () => {
    const { url } = await startRedisServer({ args: ['--user', 'locker', 'on', '>s3cret', '~other:*', '+@all'] });
    expect(await refusal(await connect(url.replace('//', '//locker:s3cret@')))).toMatch(/NOPERM/);
  });

  it('several databases is used with the one of the address', async () => {
    const { url } = await startRedisServer();
    const lock = await (await connect(`${url}/3`)).acquire('a');
    expect(await withRedis(`${url}/3`, (redis) => redis.get('a'))).toBe(lock.value);
    expect(await withRedis(url, (redis) => redis.get('a'))).toBeNull();
  });

  it('fewer databases than the number of the address gives no vote, instead of one in another database', async () => {
    const { url } = await startRedisServer({ args: ['--databases', '2'] });
    expect(await refusal(await connect(`${url}/5`))).toMatch(/DB index is out of range/);
    expect(await withRedis(url, (redis) => redis.dbsize())).toBe(0);
  });

  it.each(['', 'lock:', 'ünïcode/'])('the key prefix "%s" holds the lock under it', async (keyPrefix) => {
    const { url } = await startRedisServer();
    const lock = await (await connect(url, keyPrefix)).acquire(['a', 'b c']);
    expect(await withRedis(url, (redis) => redis.mget(`${keyPrefix}a`, `${keyPrefix}b c`))).toEqual([
      lock.value,
      expect.stringContaining(lock.value.split(':')[0]!),
    ]);
    await lock.release();
    const left = await withRedis(url, (redis) => redis.keys('*'));
    expect(left).toEqual([`${keyPrefix}~fence`]);
  });

  it('too little memory gives no vote, and says so', async () => {
    const { url } = await startRedisServer();
    const redlock = await connect(url);
    await withRedis(url, (redis) => redis.config('SET', 'maxmemory', '1'));
    expect(await refusal(redlock)).toMatch(/OOM/);
  });

  it('the role of a replica gives no vote, and says so', async () => {
    const { host, port } = await startRedisServer();
    const replica = await startRedisServer({ args: ['--replicaof', `${host} ${port}`] });
    expect(await refusal(await connect(replica.url))).toMatch(/READONLY|MASTERDOWN|NOREPLICAS/);
  });
});
