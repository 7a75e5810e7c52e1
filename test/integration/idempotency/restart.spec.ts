import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { OnceOnNodes, type ReplicaOnNodes } from '../../support/once-on-nodes.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';
import { onDisk } from '../../support/wary-redis.js';

/** Ms; short, so that a node votes again soon after its restart. */
const TRUST = { maxTtl: 1_500, restartQuarantine: true };
const HOUR = 3_600_000;
const KEY = 'order:1';
const LOST_BY_RESTART = expect.stringContaining('in memory only');

const onceReplicas = new OnceOnNodes();
let servers: RedisServer[];
let replicas: ReplicaOnNodes[];
let runs: (string | undefined)[];

/** Two replicas on five nodes that vote from the start, as those do that have been there for long. */
const start = async (args: string[] = []): Promise<void> => {
  servers = await startRedisServers(5, { args });
  await Promise.all(servers.map(({ url }) => vouchFor(url, TRUST.maxTtl, 'lock:')));
  const settings = { trust: TRUST, ttl: 1_000 };
  replicas = [await onceReplicas.start(servers, settings), await onceReplicas.start(servers, settings)];
};

const ask = ({ idempotency }: ReplicaOnNodes, keep = HOUR): Promise<number> =>
  idempotency.once(KEY, async ({ previous }) => runs.push(previous), { keep });

const copies = (): Promise<number[]> =>
  Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.exists(`lock:${KEY}~reply`))));

/** Keeps a reply on all nodes. */
const keepReply = async (keep: number): Promise<void> => {
  await ask(replicas[0]!, keep);
  await eventually(async () => expect(await copies()).toEqual([1, 1, 1, 1, 1]));
};

/** Resolves once all nodes vote for both replicas. */
const untilAllVote = (): Promise<void> =>
  eventually(async () => {
    for (const { service } of replicas) {
      const { nodes } = await service.status();
      expect(nodes.map(({ votes }) => votes)).toEqual(Array(5).fill(true));
    }
  });

/** Restarts all nodes, each once the one before votes again. */
const restartEach = async (meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> => {
  for (const server of servers) {
    await server.restart();
    await meanwhile();
    await untilAllVote();
    await meanwhile();
  }
};

const warnings = ({ log }: ReplicaOnNodes): unknown[] =>
  log.events.filter(({ type }) => type === 'node-warning').map((event) => 'reason' in event && event.reason);

beforeEach(() => {
  runs = [];
});

afterEach(async () => {
  await onceReplicas.close();
  await endAll();
});

describe('a reply on five nodes that are restarted one by one', () => {
  onDisk(
    'is there before, meanwhile and afterwards, if the nodes have a file, which no warning then asks for',
    async () => {
      await start(['--appendonly', 'yes']);
      await keepReply(2 * HOUR);
      await restartEach(async () => {
        for (const replica of replicas) expect(await ask(replica)).toBe(1);
      });
      expect(runs).toEqual(['none']);
      expect(await copies()).toEqual([1, 1, 1, 1, 1]);
      expect(replicas.flatMap(warnings)).not.toContainEqual(LOST_BY_RESTART);
    },
  );

  it('is forgotten if they have none, so that the next call runs; a warning has said so', async () => {
    await start();
    await keepReply(2 * HOUR);
    await eventually(() => expect(warnings(replicas[0]!)).toEqual(Array(5).fill(LOST_BY_RESTART)));
    await restartEach();
    expect(await copies()).toEqual([0, 0, 0, 0, 0]);
    expect([await ask(replicas[1]!), await ask(replicas[0]!)]).toEqual([2, 2]);
    expect(runs).toEqual(['none', 'none']);
  });

  it('is given again to nodes that have forgotten it, where duplicates come meanwhile', async () => {
    await start();
    await keepReply(HOUR);
    await restartEach(async () => {
      for (const replica of replicas) expect(await ask(replica)).toBe(1);
    });
    expect(runs).toEqual(['none']);
  });
});

describe('a node without a file', () => {
  it('is no reason for a warning where replies are to last for an hour', async () => {
    await start();
    for (const { url } of servers)
      await withRedis(url, async (redis) => {
        await redis.setrange('data of others', 10_000_000, '!');
        await redis.config('SET', 'maxmemory', 14_000_000);
      });
    await keepReply(HOUR);
    // The answer that says how full a node is has also said that it has no file.
    await eventually(() => expect(replicas[0]!.store.isFull()).toBe(true));
    expect(warnings(replicas[0]!)).toEqual([]);
  });
});
