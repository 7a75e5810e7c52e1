import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import type { QuorumNotReachedError } from '../../../lib/engine/errors.js';

const ONCE = { waitTimeout: 0 };

describe('that too few nodes vote, and that enough do again,', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const told = ({ events }: RedisPoolClient): unknown[] => events.filter(({ type }) => type.startsWith('quorum'));
  const lost = { type: 'quorum-lost', votes: 1, nodes: 3, quorum: 2 };
  const reached = { type: 'quorum-reached', votes: 2, nodes: 3, quorum: 2 };

  it('is told once each where nodes are killed and come back', async () => {
    pool = await RedisPool.start(3);
    const client = await pool.client();
    expect(told(client)).toEqual([]);
    for (const server of [0, 1]) await pool.servers[server]!.kill();
    await eventually(() => expect(told(client)).toEqual([lost]));
    for (let times = 0; times < 3; times += 1)
      await expect(client.redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    for (const server of [0, 1]) await pool.servers[server]!.restart();
    await eventually(() => expect(client.events.filter(({ type }) => type === 'node-up')).toHaveLength(5), 10_000);
    expect(told(client)).toEqual([lost, reached]);
  });

  it('is told once each where nodes refuse their votes', async () => {
    pool = await RedisPool.start(3);
    const client = await pool.client();
    const setMemory = (most: string) =>
      Promise.all([0, 1].map((server) => pool.ask(server, (redis) => redis.config('SET', 'maxmemory', most))));
    await setMemory('1');
    for (let times = 0; times < 3; times += 1)
      await expect(client.redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    expect(told(client)).toEqual([lost]);
    await setMemory('0');
    await eventually(async () => {
      await (await client.redlock.acquire(pool.resource(), ONCE)).release();
      expect(told(client)).toEqual([lost, reached]);
    });
  });

  it('is told where there are too few from the start', async () => {
    pool = await RedisPool.start(3);
    for (const server of [0, 1]) await pool.servers[server]!.kill();
    const client = await pool.client();
    await eventually(() => expect(told(client)).toEqual([lost]));
  });
});

describe('the error of a lock that nodes refuse', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const replica = (server: number) => pool.ask(server, (redis) => redis.call('REPLICAOF', '127.0.0.1', '1'));
  const nodesOf = ({ nodes }: QuorumNotReachedError): unknown =>
    nodes.map(({ outcome, detail }) => (detail === undefined ? outcome : `${outcome}: ${detail.split(' ')[0]}`));

  it('says so, and why, and does not call the healthy node unknown', async () => {
    pool = await RedisPool.start(3);
    const client = await pool.client();
    await Promise.all([replica(0), replica(1)]);
    const error = await client.refusal();
    expect(error.message).toMatch(
      /^No quorum for "refused": 2 of 3 nodes refuse to vote; redis:\S+ refused \(READONLY [^)]*\), redis:\S+ refused \(READONLY/,
    );
    expect(error.message).not.toMatch(/too few nodes answered|unknown|user_script/);
    expect([['granted'], ['pending: not']]).toContainEqual((nodesOf(error) as string[]).slice(2));
  });

  it('says of how many there is no answer besides', async () => {
    pool = await RedisPool.start(3);
    const client = await pool.client({ nodeTimeout: 300 });
    await replica(0);
    await pool.servers[1]!.kill();
    const error = await client.refusal();
    expect(error.message).toMatch(/1 of 3 nodes refuse to vote, and 1 do not answer; /);
    expect((nodesOf(error) as string[])[0]).toBe('refused: READONLY');
  });
});
