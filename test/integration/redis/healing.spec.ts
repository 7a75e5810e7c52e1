import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
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

  it('is won back by the next extension', async () => {
    const lock = await client.redlock.acquire('a', { ttl: 60_000 });
    await restart(0);
    expect(await pool.owners('a')).toEqual([null, lock.value, lock.value]);
    await lock.extend();
    await eventually(async () => expect(await pool.owners('a')).toEqual(Array(3).fill(lock.value)));
    expect(await pool.ask(0, (redis) => redis.pttl('a'))).toBeGreaterThan(30_000);
  });

  it('is won back by automatic extension, one node after another, and the lock is held throughout', async () => {
    const lock = await client.redlock.acquire('a', { ttl: 1_500, autoExtend: true });
    for (const server of pool.servers.keys()) {
      await restart(server);
      await eventually(async () => expect(await pool.owners('a')).toEqual(Array(3).fill(lock.value)));
    }
    expect(lock.isValid).toBe(true);
    await lock.release();
  });

  it('does not count in the round that would win it back: with a second one the lock is lost', async () => {
    const lock = await client.redlock.acquire('a', { ttl: 60_000 });
    await restart(0);
    await restart(1);
    await expect(lock.extend()).rejects.toBeInstanceOf(LockLostError);
    await allDone(client);
    expect(await pool.owners('a', [0, 1])).toEqual([null, null]);
  });

  it('counts in the rounds that follow', async () => {
    const lock = await client.redlock.acquire('a', { ttl: 60_000 });
    await restart(0);
    await lock.extend();
    await eventually(async () => expect(await pool.owners('a', [0])).toEqual([lock.value]));
    await restart(1);
    await lock.extend();
    expect(lock.isValid).toBe(true);
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
