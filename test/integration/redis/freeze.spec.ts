import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { HastyClock } from '../../support/hasty-clock.js';

/** From now on counts the probes that leave for a node, each of which is a call of the script, too. */
function countProbes({ nodes: [node] }: RedisPoolClient): () => number {
  const probe = node!.probe.bind(node);
  let count = 0;
  node!.probe = (answered) => {
    count += 1;
    probe((answer) => {
      if (answer.kind === 'unknown' && !answer.sent) count -= 1;
      answered(answer);
    });
  };
  return () => count;
}

describe('a frozen node', () => {
  let pool: RedisPool;
  beforeEach(async () => void (pool = await RedisPool.start(3)));
  afterEach(() => pool.stop());
  afterEach(() => void jest.restoreAllMocks());

  const free = (servers = [0, 1, 2]) =>
    eventually(async () => expect(await pool.owners('a', servers)).toEqual(servers.map(() => null)));
  /** The script has run on this node so many times. */
  const callsOf = async (server: number): Promise<number> => {
    const stats = await pool.ask(server, (redis) => redis.info('commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };

  it('that grants late, after the attempt failed, is cleaned up', async () => {
    const client = await pool.client({ nodeTimeout: 200 });
    await allDone(client);
    const [before, alike] = [await callsOf(0), await callsOf(1)];
    await pool.servers[0]!.freeze();
    await pool.servers[1]!.freeze();
    await expect(client.redlock.acquire('a', { ttl: 60_000, waitTimeout: 0 })).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
    });
    await pool.servers[0]!.thaw();
    await pool.servers[1]!.thaw();
    await eventually(async () => expect([await callsOf(0), await callsOf(1)]).toEqual([before + 2, alike + 2]));
    await free();
  });

  it('that is silent for long is asked no more, is reported down, and gets its release when it thaws', async () => {
    const client = await pool.client({ nodeTimeout: 300 });
    const { redlock, events } = client;
    const probes = countProbes(client);
    await pool.servers[0]!.freeze();
    const lock = await redlock.acquire('a', { ttl: 60_000 });
    await eventually(async () => {
      expect((await redlock.status()).nodes[0]!.reason).toMatch(/^silent for \d+ ms$/);
    });
    await lock.release();
    expect(await pool.owners('a', [1, 2])).toEqual([null, null]);
    await pool.servers[0]!.thaw();
    await eventually(async () => expect(await callsOf(0)).toBe(2 + probes()));
    await free();
    await eventually(async () => expect((await redlock.status()).nodes[0]!.up).toBe(true));
    const told = events.filter((event) => 'node' in event && event.node === pool.urls[0]).map(({ type }) => type);
    expect(told).toEqual(['node-up', 'node-down', 'node-up']);
  });

  it('is looked at again for as long as it is silent', async () => {
    const { redlock } = await pool.client({ nodeTimeout: 300 });
    const silence = async (): Promise<number> => {
      const { reason = '' } = (await redlock.status()).nodes[0]!;
      return Number(/^silent for (\d+) ms$/.exec(reason)?.[1]);
    };
    await pool.servers[0]!.freeze();
    await redlock.acquire('a');
    await eventually(async () => expect(await silence()).toBeGreaterThan(1_000));
    await eventually(async () => expect(await silence()).toBeGreaterThan(2_000));
    await pool.servers[0]!.thaw();
  });

  it('that is silent for very long gets a new connection, and its release over that connection', async () => {
    const clock = new HastyClock();
    const client = await pool.client({ nodeTimeout: 300, clock });
    const { redlock } = client;
    const probes = countProbes(client);
    await pool.servers[0]!.freeze();
    const lock = await redlock.acquire('a', { ttl: 600_000 });
    clock.passed = 20_000;
    await lock.release();
    await eventually(async () => {
      await redlock.status();
      expect(await pool.ask(1, (redis) => redis.get('a'))).toBeNull();
      expect((await redlock.status()).nodes[0]).toMatchObject({ up: false });
    });
    await pool.servers[0]!.thaw();
    await eventually(async () => expect((await redlock.status()).nodes[0]!.up).toBe(true), 20_000);
    await eventually(async () => expect(await callsOf(0)).toBe(2 + probes()));
    await free();
  });

  it('that is thawed votes again, without a reconnect', async () => {
    const client = await pool.client();
    await pool.servers[0]!.freeze();
    await client.redlock.acquire('a');
    await pool.servers[0]!.thaw();
    await allDone(client);
    const lock = await client.redlock.acquire('b');
    await allDone(client);
    expect(await pool.owners('b')).toEqual(Array(3).fill(lock.value));
    expect(client.events.filter(({ type }) => type === 'node-down')).toEqual([]);
  });

  it('is not assumed by a process that itself stood still', async () => {
    const client = await pool.client({ nodeTimeout: 5_000 });
    const taking = client.redlock.acquire('a', { ttl: 60_000 });
    const end = performance.now() + 1_300;
    while (performance.now() < end);
    const lock = await taking;
    await lock.extend();
    await lock.release();
    await allDone(client);
    expect(client.events.filter(({ type }) => type === 'node-down')).toEqual([]);
    expect(await pool.owners('a')).toEqual([null, null, null]);
  });

  it('at the start does not hold up the pool', async () => {
    await pool.servers[0]!.freeze();
    const client = await pool.client();
    await expect(client.redlock.acquire('a')).resolves.toMatchObject({ isValid: true });
    await pool.servers[0]!.thaw();
    await eventually(async () => expect((await client.redlock.status()).nodes[0]!.up).toBe(true));
  });

  it('whose handshake was lost on the way is connected again', async () => {
    const [proxy] = await pool.proxies();
    proxy!.blackhole = true;
    const clock = new HastyClock();
    const { redlock } = await pool.client({ nodes: [proxy!.url], nodeTimeout: 300, clock });
    expect((await redlock.status()).nodes[0]!.up).toBe(false);
    proxy!.blackhole = false;
    clock.passed = 20_000;
    await eventually(async () => expect((await redlock.status()).nodes[0]!.up).toBe(true));
  });

  it('does not hold up the end', async () => {
    const { redlock } = await pool.client();
    await pool.servers[0]!.freeze();
    await redlock.acquire('a', { ttl: 60_000, autoExtend: true });
    await redlock.close();
    expect(await pool.owners('a', [1, 2])).toEqual([null, null]);
    await pool.servers[0]!.thaw();
  });
});
