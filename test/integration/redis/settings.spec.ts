import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { Redlock } from '../../../lib/core/redlock.js';
import { toAddresses } from '../../../lib/redis/node-address.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll } from '../../support/redis-server.js';

describe('a node with', () => {
  const open: Redlock[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((redlock) => redlock.close()));
    await stopAll();
  });
  afterAll(() => stopAll());

  const connect = async (node: string | RedisOptions, keyPrefix = ''): Promise<Redlock> => {
    const nodes = toAddresses([node]).map((address) => new RedisNode(address, keyPrefix));
    const redlock = new Redlock({ nodes, nodeTimeout: 3_000 });
    open.push(redlock);
    await redlock.open();
    return redlock;
  };
  /** Why the only node gave no vote. */
  const refusal = async (redlock: Redlock): Promise<string | undefined> => {
    const error = await redlock.acquire('a', { waitTimeout: 0 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    return (error as { nodes: { detail?: string }[] }).nodes[0]!.detail;
  };

  it('a password lets in who knows it', async () => {
    const { url, host, port } = await startRedisServer({ args: ['--requirepass', 's3cret'] });
    const redlock = await connect(url.replace('//', '//:s3cret@'));
    await expect(redlock.acquire('a')).resolves.toMatchObject({ isValid: true });
    await expect((await connect({ host, port, password: 's3cret' })).tryAcquire('b')).resolves.not.toBeNull();
  });

  it('a user lets in who knows name and password, and needs no more rights than the scripts use', async () => {
    const rights = ['~locks:*', '+evalsha', '+eval', '+get', '+set', '+del', '+pttl', '+pexpire', '+ping'];
    const { url } = await startRedisServer({ args: ['--user', 'locker', 'on', '>s3cret', ...rights] });
    const redlock = await connect(url.replace('//', '//locker:s3cret@'), 'locks:');
    const lock = await redlock.acquire('a');
    await lock.extend();
    await lock.release();
    await expect(withRedis(url, (redis) => redis.get('locks:a'))).resolves.toBeNull();
    expect((await redlock.status()).quorumReachable).toBe(true);
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

  it('a password tells that none was given', async () => {
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
      lock.value,
    ]);
    await lock.release();
    expect(await withRedis(url, (redis) => redis.dbsize())).toBe(0);
  });

  it('data of another type under the key gives no vote, says so, and keeps its data', async () => {
    const { url } = await startRedisServer();
    await withRedis(url, (redis) => redis.rpush('a', 'data'));
    expect(await refusal(await connect(url))).toMatch(/WRONGTYPE/);
    expect(await withRedis(url, (redis) => redis.lrange('a', 0, -1))).toEqual(['data']);
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
