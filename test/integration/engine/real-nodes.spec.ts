import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemRandom } from '../../../lib/engine/random.js';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { BatchEncoder } from '../../../lib/redis/codec.js';
import { RedisNode } from '../../../lib/redis/redis-node.js';
import { toAddresses } from '../../../lib/redis/connection/settings/node-address.js';
import { eventually } from '../../support/eventually.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

const MAX_TTL = 3_000;

describe('the engine on real nodes', () => {
  let servers: RedisServer[];
  const pools: Redlock[] = [];

  const poolOf = (restartQuarantine = false, urls = servers.map(({ url }) => url)): Redlock => {
    const clock = new SystemClock();
    const channel = `lock:~to:${systemRandom.id()}`;
    const encoder = new BatchEncoder({ keyPrefix: 'lock:', channel, maxTtl: MAX_TTL, restartQuarantine });
    const nodes = toAddresses(urls).map((address) => new RedisNode(address, encoder, clock));
    const mark = `test@host#${process.pid}:${systemRandom.id()}.`;
    const pool = new Redlock({ nodes, clock, random: systemRandom, mark, nodeTimeout: 500, maxTtl: MAX_TTL });
    pools.push(pool);
    return pool;
  };
  const keys = async (): Promise<string[]> => {
    const found = await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.keys('lock:*'))));
    return found.flat().filter((key) => !/~(fence|node|waiting|queue|places)$/.test(key));
  };

  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
    await stopAll();
  });

  it('locks, hands over to another process, and leaves nothing behind', async () => {
    servers = await startRedisServers(5);
    const [one, other] = [poolOf(), poolOf()];
    const first = await one.acquire('a');
    const next = other.acquire('a');
    await expect(other.tryAcquire('a')).resolves.toBeNull();
    await sleep(50);
    await first.release();
    const second = await next;
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    await second.extend();
    await second.release();
    const both = await Promise.all([one.withLock(['a', 'b'], () => 1), other.withLock(['b', 'a'], () => 2)]);
    expect(both).toEqual([1, 2]);
    await sleep(50);
    expect(await keys()).toEqual([]);
  });

  it('has one holder at a time while nodes are killed, frozen and restarted', async () => {
    servers = await startRedisServers(5);
    const clients = [poolOf(), poolOf(), poolOf()];
    let [inside, most, sections, latest] = [0, 0, 0, 0];
    const state = { isOver: false };
    const backwards: number[] = [];
    const work = async (pool: Redlock): Promise<void> => {
      while (!state.isOver) {
        const options = { ttl: 1_000, waitTimeout: 10_000, quorumTimeout: 10_000 };
        await pool
          .withLock(
            'shared',
            async ({ fencingToken }) => {
              most = Math.max(most, (inside += 1));
              if (fencingToken <= latest) backwards.push(fencingToken);
              latest = fencingToken;
              sections += 1;
              await sleep(1);
              inside -= 1;
            },
            options,
          )
          .catch((error: Error) => (error.name === 'LockLostError' ? undefined : Promise.reject(error)));
      }
    };
    const workers = clients.flatMap((pool) => [work(pool), work(pool)]);
    for (const [index, fault] of ['freeze', 'kill', 'freeze', 'kill'].entries()) {
      const server = servers[index]!;
      await (fault === 'freeze' ? server.freeze() : server.kill());
      await sleep(400);
      await (fault === 'freeze' ? server.thaw() : server.restart());
      const before = sections;
      await eventually(() => expect(sections).toBeGreaterThan(before + 3), 20_000);
    }
    state.isOver = true;
    await Promise.all(workers);
    expect([most, backwards]).toEqual([1, []]);
  }, 120_000);

  it('takes no votes of nodes that may have forgotten locks until the longest lease is over', async () => {
    servers = await startRedisServers(3);
    const pool = poolOf(true);
    const refused = await pool.acquire('a').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'QUORUM_NOT_REACHED', retryAfter: expect.any(Number) });
    expect((refused as { retryAfter: number }).retryAfter).toBeGreaterThan(1_000);
    const since = performance.now();
    const lock = await pool.acquire('a', { waitTimeout: 20_000, quorumTimeout: 20_000, ttl: 1_000 });
    expect(performance.now() - since).toBeGreaterThan(1_500);
    await lock.release();
  }, 60_000);

  it('goes on after the scripts of the nodes were emptied', async () => {
    servers = await startRedisServers(3);
    const pool = poolOf();
    await (await pool.acquire('a')).release();
    await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.script('FLUSH'))));
    await (await pool.acquire('a')).release();
    await sleep(300);
    expect(await keys()).toEqual([]);
  });

  it('says which nodes vote, how far their clocks are off, and why a node does not', async () => {
    servers = await startRedisServers(3);
    await servers[2]!.kill();
    const pool = poolOf();
    await (await pool.acquire('a')).release();
    const { nodes, quorum, quorumReachable } = await pool.status({ timeout: 1_000 });
    expect([quorum, quorumReachable, nodes.map(({ votes }) => votes)]).toEqual([2, true, [true, true, false]]);
    expect(nodes[0]).toMatchObject({ up: true, clockOffset: 0, latency: expect.any(Number) });
    expect(nodes[2]).toMatchObject({ up: false, reason: expect.stringMatching(/ECONNREFUSED/) });
    await expect(poolOf(true).status()).resolves.toMatchObject({
      quorumReachable: false,
      nodes: [{ up: true, votes: false, votesIn: expect.any(Number) }, { votes: false }, { up: false }],
    });
  });

  it('refuses two addresses of one server where no quorum is left without the later one', async () => {
    servers = await startRedisServers(1);
    const [{ port, url }] = servers as [RedisServer];
    await expect(poolOf(false, [url, `redis://localhost:${port}`]).open()).rejects.toThrow(/which are one server/);
  });
});
