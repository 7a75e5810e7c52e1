import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { realNodes } from '../../support/real-nodes.js';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { TRUSTING } from '../../support/trust.js';

describe('a node that is down', () => {
  let pool: RedisPool;
  let client: RedisPoolClient;
  beforeEach(async () => void (pool = await RedisPool.start(3)));
  afterEach(() => pool.stop());

  const seen = (type: string, server: number): number =>
    client.events.filter((event) => event.type === type && 'node' in event && event.node === pool.urls[server]).length;
  const untilUp = (server: number, times = 1): Promise<void> =>
    eventually(() => expect(seen('node-up', server)).toBe(times), 20_000);

  it('at the start is told and does without; it votes once it has come up', async () => {
    await pool.servers[1]!.kill();
    client = await pool.client();
    await eventually(() => expect(seen('node-down', 1)).toBe(1));
    const first = await client.redlock.acquire('a');
    await allDone(client);
    expect(await pool.owners('a', [0, 2])).toEqual([first.value, first.value]);
    await pool.servers[1]!.restart();
    await untilUp(1);
    const second = await client.redlock.acquire('b');
    await allDone(client);
    expect(await pool.owners('b')).toEqual(Array(3).fill(second.value));
  });

  it('at the start does not hold up callers that do not wait for the start', async () => {
    await pool.servers[1]!.kill();
    const clock = new SystemClock();
    const nodes = realNodes(pool.urls, clock, TRUSTING);
    const redlock = new Redlock({ nodes, clock, nodeTimeout: 3_000 });
    const locks = await Promise.all(['a', 'b'].map((name) => redlock.acquire(name, { waitTimeout: 0 })));
    expect(locks.map(({ isValid }) => isValid)).toEqual([true, true]);
    expect((await redlock.status()).nodes.map(({ up }) => up)).toEqual([true, false, true]);
    await redlock.close();
  });

  it('is named with the reason, and costs no time', async () => {
    await pool.servers[0]!.kill();
    await pool.servers[1]!.kill();
    client = await pool.client({ nodeTimeout: 60_000 });
    const error = await client.redlock.acquire('a', { waitTimeout: 0 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QuorumNotReachedError);
    expect((error as QuorumNotReachedError).nodes.slice(0, 2)).toEqual([
      { node: pool.urls[0], outcome: 'unknown', detail: expect.stringContaining('ECONNREFUSED') },
      { node: pool.urls[1], outcome: 'unknown', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
    await expect(client.redlock.status()).resolves.toMatchObject({ quorum: 2, quorumReachable: false });
  });

  it('because it died is told at once; back and empty, it votes again', async () => {
    client = await pool.client();
    const lock = await client.redlock.acquire('a', { ttl: 60_000 });
    await pool.servers[0]!.kill();
    await eventually(() => expect(seen('node-down', 0)).toBe(1));
    await lock.extend();
    await expect(client.redlock.tryAcquire('b')).resolves.toMatchObject({ isValid: true });
    await pool.servers[0]!.restart();
    await untilUp(0, 2);
    const third = await client.redlock.acquire('c');
    await allDone(client);
    expect(await pool.owners('c')).toEqual(Array(3).fill(third.value));
    expect(seen('node-down', 0)).toBe(1);
  });

  // WireCommand hands on what ioredis says, "Reached the max retries per request limit", which tells a user nothing.
  it('when it dies with a command under way answers for it at once', async () => {
    client = await pool.client({ nodeTimeout: 60_000 });
    await pool.servers[0]!.freeze();
    await pool.servers[1]!.freeze();
    const taking = client.redlock.acquire('a', { waitTimeout: 0 }).catch((error: unknown) => error);
    await eventually(async () => expect(await pool.owners('a', [2])).not.toEqual([null]));
    await pool.servers[0]!.kill();
    await pool.servers[1]!.kill();
    expect(await taking).toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      nodes: [
        { outcome: 'unknown', detail: expect.stringMatching(/closed|ECONNRESET/) },
        { outcome: 'unknown' },
        { outcome: 'granted' },
      ],
    });
    await allDone(client);
    expect(await pool.owners('a', [2])).toEqual([null]);
  });

  it('does not get what was sent to it before it died: no command is sent twice', async () => {
    client = await pool.client({ nodeTimeout: 60_000 });
    await pool.servers[0]!.freeze();
    const lock = await client.redlock.acquire('a', { ttl: 60_000 });
    await pool.servers[0]!.restart();
    await untilUp(0, 2);
    await allDone(client);
    expect(await pool.owners('a')).toEqual([null, lock.value, lock.value]);
  });

  it('ends a wait as soon as it is back', async () => {
    await pool.servers[0]!.kill();
    await pool.servers[1]!.kill();
    client = await pool.client();
    const waiting = client.redlock.acquire('a', { waitTimeout: 25_000 });
    await pool.servers[1]!.restart();
    await expect(waiting).resolves.toMatchObject({ isValid: true });
  });

  it('blocks no caller when all of them die and return', async () => {
    client = await pool.client();
    const lock = await client.redlock.acquire('a', { ttl: 60_000, autoExtend: true });
    await Promise.all(pool.servers.map((server) => server.kill()));
    await lock.release();
    await expect(client.redlock.acquire('a', { waitTimeout: 0 })).rejects.toBeInstanceOf(QuorumNotReachedError);
    await Promise.all(pool.servers.map((server) => server.restart()));
    await expect(client.redlock.acquire('a', { waitTimeout: 25_000 })).resolves.toMatchObject({ isValid: true });
  });
});
