import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { RedisPool } from '../../support/redis-pool.js';
import { ONCE, type RedisPoolClient } from '../../support/redis-pool-client.js';
import { startTrusted, WARY } from '../../support/wary-redis.js';

describe('a user without the right to all of INFO', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const setUser = (...rules: readonly string[]): Promise<unknown> =>
    pool.ask(0, (redis) => redis.call('ACL', 'SETUSER', 'app', ...rules));

  const connect = async (...rules: readonly string[]): Promise<RedisPoolClient> => {
    pool = await startTrusted(1);
    await setUser('on', '>secret', '~*', '&*', '+@all', '-info', ...rules);
    const { host, port } = pool.servers[0]!;
    const client = await pool.client({ nodes: [{ host, port, username: 'app', password: 'secret' }], trust: WARY });
    await client.untilTold('node-up');
    return client;
  };

  it('has votes where it may ask for what tells which server it is', async () => {
    const client = await connect('+info|server');
    await (await client.redlock.acquire('a', ONCE)).release();
    expect(client.nodes[0]!.runId).toMatch(/^\w{40}$/);
    expect([client.count('node-up'), client.count('node-warning')]).toEqual([1, 0]);
  });

  it('has votes once it is given the right, as soon as it is known which server they come from', async () => {
    const client = await connect();
    expect((await client.refusal()).nodes).toMatchObject([
      { outcome: 'refused', detail: expect.stringMatching(/INFO/) },
    ]);
    expect(client.nodes[0]!.runId).toBeUndefined();
    await setUser('+info');
    await eventually(async () => {
      const lock = await client.redlock.acquire('a', ONCE);
      await lock.release();
    }, 10_000);
    await eventually(() => expect(client.nodes[0]!.runId).toMatch(/^\w{40}$/));
    expect(client.count('node-up')).toBe(2);
  });
});
