import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import type { LockEvent } from '../../../lib/engine/events.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { realNodes } from '../../support/real-nodes.js';
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
});
