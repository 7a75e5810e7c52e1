import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

describe('a node that was restarted empty', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  beforeEach(async () => {
    pool = await RedisPool.start(3);
    client = await pool.client();
  });
  afterEach(() => pool.stop());

  const restart = async (server: number): Promise<void> => {
    await pool.servers[server]!.restart();
    await eventually(async () => {
      const { nodes } = await client.redlock.status();
      expect(nodes[server]!.up).toBe(true);
    });
  };

  it('is won back by automatic extension, one node after another, and the lock is held throughout', async () => {
    const lock = await client.redlock.acquire('a', { ttl: 1_500, autoExtend: true });
    for (const server of pool.servers.keys()) {
      await restart(server);
      await eventually(async () => expect(await pool.owners('a')).toEqual(Array(3).fill(lock.value)));
    }
    expect(lock.isValid).toBe(true);
    await lock.release();
  });

  it('is left to a rival that was there first, and the holder keeps the lock by the other nodes', async () => {
    const lock = await client.redlock.acquire('a', { ttl: 60_000 });
    await restart(0);
    await pool.plant(0, 'a', { value: 'rival' });
    await lock.extend();
    await allDone(client);
    expect(await pool.owners('a')).toEqual(['rival', lock.value, lock.value]);
    await lock.release();
    await allDone(client);
    expect(await pool.owners('a')).toEqual(['rival', null, null]);
  });
});
