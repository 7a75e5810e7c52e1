import { ClockedServer } from '../clock-shim.js';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.js';
import { endConnections, withRedis } from '../redis-client.js';
import { startRedisServer, type RedisServer } from '../redis-server.js';
import { NODE_TIMEOUT } from './watched-app.js';

/** The nodes of a test; the first one is the one with the fault. */
export interface FaultStage {
  readonly servers: readonly RedisServer[];
  readonly clocked: ClockedServer | undefined;
  readonly proxy: FaultProxy | undefined;
}

/** Makes one of the faults of the table. */
export interface FaultMaker {
  /** Whether the application starts when the fault is already there. */
  readonly isFirst?: boolean;
  /** Ms; where another one is needed than usual. */
  readonly maxTtl?: number;
  /** What the node with the fault needs beside its server. */
  readonly needs?: 'clock' | 'proxy';
  /** Whether the fault is told of the pool as a whole. */
  readonly isOfPool?: boolean;
  readonly begin: (stage: FaultStage) => Promise<unknown>;
  readonly end?: (stage: FaultStage) => Promise<unknown>;
}

/** Sends a command to the node with the fault. */
const command =
  (...words: [string, ...string[]]) =>
  ({ servers }: FaultStage): Promise<unknown> =>
    withRedis(servers[0]!.url, (redis) => redis.call(...words));
const killed =
  (count: number) =>
  ({ servers }: FaultStage): Promise<unknown> =>
    Promise.all(servers.slice(0, count).map((server) => server.kill()));

/** By the name that the table has. */
export const FAULT_MAKERS: Readonly<Record<string, FaultMaker>> = {
  killed: { begin: killed(1) },
  frozen: {
    // What the node was asked before must not look, when it goes on, as if its clock was off by half of this.
    maxTtl: 60_000,
    begin: ({ servers }) => servers[0]!.freeze(),
    end: ({ servers }) => servers[0]!.thaw(),
  },
  'restarted, with an empty memory': { maxTtl: 8_000, begin: ({ servers }) => servers[0]!.restart() },
  'evicting (`maxmemory` and `allkeys-lru`)': {
    isFirst: true,
    begin: command('CONFIG', 'SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru'),
  },
  'a replica': {
    // A replica of no master, so that it forgets nothing.
    begin: command('REPLICAOF', '127.0.0.1', '1'),
    end: command('REPLICAOF', 'NO', 'ONE'),
  },
  'full (`maxmemory` and `noeviction`)': {
    begin: command('CONFIG', 'SET', 'maxmemory', '1'),
    end: command('CONFIG', 'SET', 'maxmemory', '0'),
  },
  'a permission is missing': {
    begin: command('ACL', 'SETUSER', 'default', '-set', '-del'),
    end: command('ACL', 'SETUSER', 'default', '+set', '+del'),
  },
  'Lua scripts are forbidden': {
    begin: command('ACL', 'SETUSER', 'default', '-eval', '-evalsha'),
    end: command('ACL', 'SETUSER', 'default', '+eval', '+evalsha'),
  },
  'the password has changed': {
    begin: ({ servers }) =>
      withRedis(servers[0]!.url, async (redis) => {
        await redis.config('SET', 'requirepass', 's3cret');
        await endConnections(redis);
      }),
    end: ({ servers }) =>
      withRedis(servers[0]!.url.replace('//', '//:s3cret@'), (redis) => redis.config('SET', 'requirepass', '')),
  },
  'its clock is changed': {
    needs: 'clock',
    maxTtl: 8_000,
    // More than a quarter of this, so that doctor speaks of the clock, and less than the half beyond which the node would not vote again.
    begin: ({ clocked }) => clocked!.step(3_000),
  },
  'slow, by more than `nodeTimeout`': {
    needs: 'proxy',
    // Less than the second after which a node counts as silent.
    begin: async ({ proxy }) => void (proxy!.replyDelay = NODE_TIMEOUT + 200),
  },
  'two of three are killed': { isOfPool: true, begin: killed(2) },
};

/** Three nodes, of which the first one has what its fault needs. */
export async function setStage({ needs }: FaultMaker): Promise<FaultStage> {
  const others = [await startRedisServer(), await startRedisServer()];
  const clocked = needs === 'clock' ? await ClockedServer.start() : undefined;
  const first = clocked?.server ?? (await startRedisServer());
  const proxy = needs === 'proxy' ? await startFaultProxy(first) : undefined;
  return { servers: [first, ...others], clocked, proxy };
}

export async function clearStage({ clocked, proxy, servers }: FaultStage): Promise<void> {
  await proxy?.close();
  await (clocked ?? servers[0]!).stop();
  await Promise.all(servers.slice(1).map((server) => server.stop()));
}
