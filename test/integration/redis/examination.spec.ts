import { afterEach, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { Redlock } from '../../../lib/engine/redlock.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { realNodes } from '../../support/real-nodes.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';

const MAX_TTL = 1_500;
const ONCE = { waitTimeout: 0 };

describe('when it connects, a pool', () => {
  const open: Redlock[] = [];
  const proxies: FaultProxy[] = [];
  const events: LockEvent[] = [];
  afterEach(async () => {
    events.length = 0;
    await Promise.all(open.splice(0).map((redlock) => redlock.close()));
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    await stopAll();
  });

  const poolOf = (nodes: (string | RedisOptions)[], restartQuarantine = true): Redlock => {
    const clock = new SystemClock();
    const redlock = new Redlock({
      nodes: realNodes(nodes, clock, { maxTtl: MAX_TTL, restartQuarantine }),
      clock,
      nodeTimeout: 3_000,
      maxTtl: MAX_TTL,
      defaults: { quorumTimeout: Infinity },
      listener: (event) => events.push(event),
    });
    open.push(redlock);
    return redlock;
  };
  const connect = async (node: string | RedisOptions, restartQuarantine = true): Promise<Redlock> => {
    const redlock = poolOf([node], restartQuarantine);
    await redlock.open();
    return redlock;
  };
  const warnings = (): string[] => events.flatMap((event) => (event.type === 'node-warning' ? [event.reason] : []));
  const untilWarned = (words: RegExp): Promise<void> =>
    eventually(() => expect(warnings()).toContainEqual(expect.stringMatching(words)));

  describe('refuses one server', () => {
    it('under two names of its host', async () => {
      const { port } = await startRedisServer();
      const redlock = poolOf([`redis://127.0.0.1:${port}`, `redis://localhost:${port}`]);
      await expect(redlock.open()).rejects.toBeInstanceOf(TypeError);
      await expect(redlock.open()).rejects.toThrow(
        `nodes holds redis://127.0.0.1:${port} and redis://localhost:${port}, which are one server`,
      );
    });

    it.each([true, false])('behind another port, whether it cares for restarts or not: %s', async (cares) => {
      const server = await startRedisServer();
      const proxy = await startFaultProxy(server);
      proxies.push(proxy);
      const redlock = poolOf([server.url, proxy.url], cares);
      await expect(redlock.open()).rejects.toThrow(`${server.url} and ${proxy.url}, which are one server`);
      await expect(redlock.acquire('a', ONCE)).rejects.toBeInstanceOf(TypeError);
      await redlock.close();
      expect(await withRedis(server.url, (redis) => redis.keys('a'))).toEqual([]);
    });

    it('only where no quorum is left: otherwise it bars the later one, and warns of it once', async () => {
      const [server, other] = [await startRedisServer(), await startRedisServer()];
      const proxy = await startFaultProxy(server);
      proxies.push(proxy);
      const redlock = poolOf([server.url, other.url, proxy.url], false);
      await redlock.open();
      const lock = await redlock.acquire('a', ONCE);
      await lock.release();
      expect(events.filter(({ type }) => type === 'node-warning')).toEqual([
        {
          type: 'node-warning',
          node: proxy.url,
          reason: `it leads to the same server as ${server.url}, which must not vote twice`,
        },
      ]);
    });

    it('and takes servers of their own', async () => {
      const servers = [await startRedisServer(), await startRedisServer()];
      await expect(poolOf(servers.map(({ url }) => url)).open()).resolves.toBeUndefined();
      expect(warnings()).toEqual([]);
    });
  });

  describe('warns of', () => {
    it.each([true, false])('a replica, which gives no votes; restarts count: %s', async (restartQuarantine) => {
      const master = await startRedisServer({ args: ['--repl-diskless-sync-delay', '0'] });
      const replica = await startRedisServer({ args: ['--replicaof', master.host, String(master.port)] });
      const redlock = await connect(replica.url, restartQuarantine);
      await untilWarned(/it is a replica: it refuses locks, and a promotion loses those that had not arrived/);
      await expect(redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    });

    it('a replica that answers nothing while its master is away', async () => {
      const replica = await startRedisServer({
        args: ['--replicaof', '127.0.0.1', '1', '--replica-serve-stale-data', 'no'],
      });
      const redlock = await connect(replica.url);
      await untilWarned(/it is a replica/);
      await expect(redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    });

    /** One that has all slots, or none. */
    const startCluster = async (...slots: string[]): Promise<RedisServer> => {
      const server = await startRedisServer({ args: ['--cluster-enabled', 'yes'] });
      if (slots.length > 0) await withRedis(server.url, (redis) => redis.call('CLUSTER', 'ADDSLOTSRANGE', ...slots));
      return server;
    };

    it('cluster mode', async () => {
      const { url } = await startCluster('0', '16383');
      await eventually(async () =>
        expect(await withRedis(url, (redis) => redis.call('CLUSTER', 'INFO'))).toMatch(/cluster_state:ok/),
      );
      await connect(url);
      await untilWarned(/cluster mode: locks .*fail, and a failover loses locks; name independent masters/);
    });

    it('cluster mode, where its keys belong to another node', async () => {
      await connect((await startCluster()).url);
      await untilWarned(/cluster mode/);
    });

    it.each(['volatile-ttl', 'allkeys-lru'])('an eviction policy where memory is limited: %s', async (policy) => {
      const { url } = await startRedisServer({ args: ['--maxmemory', '100mb', '--maxmemory-policy', policy] });
      await connect(url);
      await untilWarned(new RegExp(`${policy}.*: locks could vanish while they are held; set noeviction`));
      expect(warnings()).toHaveLength(1);
    });

    it('nothing where memory is limited, and nothing is evicted', async () => {
      const { url } = await startRedisServer({ args: ['--maxmemory', '100mb'] });
      await vouchFor(url, MAX_TTL);
      const redlock = await connect(url);
      await redlock.acquire('a', ONCE);
      expect(warnings()).toEqual([]);
    });

    it('everything once, however often it connects', async () => {
      const server = await startRedisServer({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] });
      await connect(server.url);
      await untilWarned(/evicts/);
      await server.restart();
      await eventually(() => expect(events.filter(({ type }) => type === 'node-quarantined')).not.toEqual([]));
      await eventually(() => expect(events.filter(({ type }) => type === 'node-up')).toHaveLength(2));
      await expect(open[0]!.status()).resolves.toMatchObject({ nodes: [{ up: true }] });
      expect(warnings()).toHaveLength(1);
    });
  });

  describe('by a user who may not run INFO', () => {
    const startLimited = async (): Promise<string> => {
      const { url } = await startRedisServer({
        args: ['--user', 'locker', 'on', '>s3cret', '~*', '&*', '+@all', '-info'],
      });
      await vouchFor(url, MAX_TTL);
      return url.replace('//', '//locker:s3cret@');
    };

    it('warns, and gets no votes, also not after maxTtl', async () => {
      const redlock = await connect(await startLimited());
      await untilWarned(/may not run INFO, by which a restart is noticed: allow it, or set restartQuarantine to false/);
      const error = await redlock.acquire('a', { waitTimeout: MAX_TTL + 200 }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED', retryAfter: 1_000 });
      expect((error as Error).message).toMatch(/refused \(its user may not run INFO/);
      await expect(redlock.status()).resolves.toMatchObject({
        nodes: [{ votes: false, reason: expect.stringMatching(/may not run INFO/) }],
        quorumReachable: false,
      });
    });

    it('locks, and is not warned, where restarts do not count', async () => {
      const redlock = await connect(await startLimited(), false);
      const lock = await redlock.acquire('a', ONCE);
      await lock.extend();
      await lock.release();
      await expect(redlock.status()).resolves.toMatchObject({ quorumReachable: true });
      expect(warnings()).toEqual([]);
    });
  });
});
