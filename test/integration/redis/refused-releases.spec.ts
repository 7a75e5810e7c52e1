import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { keepBusy } from '../../support/busy-node.js';
import { eventually } from '../../support/eventually.js';
import { linesOf } from '../../support/node-lines.js';
import { connectRedis } from '../../support/redis-client.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { onDisk } from '../../support/wary-redis.js';

const TTL = 60_000;

describe('a lock that is given back while two of three nodes', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  let other: RedisPoolClient;
  let resource: string;
  /** One for each node. */
  let connections: Redis[];
  beforeEach(async () => {
    pool = await RedisPool.start(3);
    [client, other] = [await pool.client(), await pool.client()];
    resource = pool.resource();
    connections = await Promise.all(pool.urls.map((url) => connectRedis(url)));
  });
  afterEach(async () => {
    for (const redis of connections) redis.disconnect();
    await pool.stop();
  });

  const takenElsewhere = (): Promise<unknown> => other.redlock.tryAcquire(resource);
  /** Keeps two nodes busy; returns what ends that. */
  const keepTwoBusy = async (): Promise<() => Promise<unknown>> => {
    const ends = await Promise.all([0, 1].map((server) => keepBusy(pool.urls[server]!)));
    return () => Promise.all(ends.map((end) => end()));
  };
  /** Has a node try to write its file, until it says that this is what came of it. */
  const save = async (server: number, status: 'ok' | 'err'): Promise<void> => {
    await connections[server]!.bgsave();
    await eventually(async () =>
      expect(await connections[server]!.info('persistence')).toContain(`rdb_last_bgsave_status:${status}`),
    );
  };
  /** Where a node with save points would have its file; a folder of that name lets it write neither that nor anything else. */
  const fileOf = async (server: number): Promise<string> => {
    await connections[server]!.config('SET', 'save', '3600 1000000');
    const [, folder] = await connections[server]!.config('GET', 'dir');
    const [, name] = await connections[server]!.config('GET', 'dbfilename');
    return join(folder!, name!);
  };
  const setReplicas = async (count: string): Promise<void> => {
    for (const server of [0, 1]) await pool.ask(server, (redis) => redis.config('SET', 'min-replicas-to-write', count));
  };

  it('are busy is free as soon as they are not, long before its lease would have ended', async () => {
    const lock = await client.redlock.acquire(resource, { ttl: TTL });
    const end = await keepTwoBusy();
    await lock.release();
    await end();
    await eventually(async () => expect(await takenElsewhere()).not.toBeNull());
  });

  it.each([1, 3])('write nothing is free as soon as they do, with %d resources', async (count) => {
    const resources = [resource, ...Array.from({ length: count - 1 }, () => pool.resource())];
    const lock = await client.redlock.acquire(resources, { ttl: TTL });
    await setReplicas('1');
    await lock.release();
    for (const each of resources)
      expect(await pool.owners(each)).toEqual([expect.any(String), expect.any(String), null]);
    await setReplicas('0');
    await eventually(async () => expect(await other.redlock.tryAcquire(resources)).not.toBeNull());
  });

  it('write nothing is free as soon as they do, also where a caller of the process waits for several resources', async () => {
    const resources = [resource, pool.resource()];
    const lock = await client.redlock.acquire(resources, { ttl: TTL });
    const waiting = client.redlock.acquire(resources, { ttl: TTL / 2, waitTimeout: TTL, retryDelay: 100 });
    await setReplicas('1');
    await lock.release();
    await setReplicas('0');
    await expect(waiting).resolves.toMatchObject({ isValid: true });
  });

  onDisk('refuse to write, since they could not save what they have, is free as soon as they can', async () => {
    const lock = await client.redlock.acquire(resource, { ttl: TTL });
    const files = await Promise.all([0, 1].map(fileOf));
    await Promise.all(files.map((file) => mkdir(file)));
    for (const server of [0, 1]) await save(server, 'err');
    await expect(connections[0]!.set('any', 'thing')).rejects.toThrow('MISCONF');
    await lock.release();
    expect(await pool.owners(resource)).toEqual([expect.any(String), expect.any(String), null]);
    await Promise.all(files.map((file) => rm(file, { recursive: true })));
    for (const server of [0, 1]) await save(server, 'ok');
    await eventually(async () => expect(await takenElsewhere()).not.toBeNull());
  });

  it('are busy goes to the waiter as soon as they are no longer busy', async () => {
    const lock = await client.redlock.acquire(resource, { ttl: TTL });
    const options = { ttl: TTL, waitTimeout: TTL, retryDelay: TTL, signal: AbortSignal.timeout(15_000) };
    const waiting = other.redlock.acquire(resource, options);
    await eventually(async () =>
      expect((await linesOf(pool, resource)).map(({ length }) => length)).toEqual([1, 1, 1]),
    );
    const end = await keepTwoBusy();
    await lock.release();
    await end();
    await expect(waiting).resolves.toMatchObject({ isValid: true });
  });
});
