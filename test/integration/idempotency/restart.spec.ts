import { afterAll, describe, expect, it } from '@jest/globals';
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
const warnings = ({ log }: ReplicaOnNodes): unknown[] =>
  log.events.filter(({ type }) => type === 'node-warning').map((event) => 'reason' in event && event.reason);

/** Two replicas on five nodes that vote from the start, as those do that have been there for long. */
class Stage {
  readonly runs: (string | undefined)[] = [];

  private constructor(
    readonly servers: readonly RedisServer[],
    readonly replicas: readonly [ReplicaOnNodes, ReplicaOnNodes],
  ) {}

  static async start(args: string[] = []): Promise<Stage> {
    const servers = await startRedisServers(5, { args });
    await Promise.all(servers.map(({ url }) => vouchFor(url, TRUST.maxTtl, 'lock:')));
    const settings = { trust: TRUST, ttl: 1_000 };
    return new Stage(servers, [
      await onceReplicas.start(servers, settings),
      await onceReplicas.start(servers, settings),
    ]);
  }

  ask({ idempotency }: ReplicaOnNodes, keep = HOUR): Promise<number> {
    return idempotency.once(KEY, async ({ previous }) => this.runs.push(previous), { keep });
  }

  copies(): Promise<number[]> {
    return Promise.all(this.servers.map(({ url }) => withRedis(url, (redis) => redis.exists(`lock:${KEY}~reply`))));
  }

  /** Keeps a reply on all nodes. */
  async keepReply(keep: number): Promise<void> {
    await this.ask(this.replicas[0], keep);
    await eventually(async () => expect(await this.copies()).toEqual([1, 1, 1, 1, 1]));
  }

  /** Restarts all nodes, each once the one before votes again. */
  async restartEach(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for (const server of this.servers) {
      await server.restart();
      await meanwhile();
      await eventually(async () => {
        const states = await Promise.all(this.replicas.map(({ service }) => service.status()));
        expect(states.flatMap(({ nodes }) => nodes.map(({ votes }) => votes))).toEqual(Array(10).fill(true));
      });
      await meanwhile();
    }
  }
}

afterAll(async () => {
  await onceReplicas.close();
  await endAll();
});

describe('a reply on five nodes that are restarted one by one', () => {
  (onDisk === it ? it.concurrent : it.skip)(
    'is there before, meanwhile and afterwards, if the nodes have a file, which no warning then asks for',
    async () => {
      const stage = await Stage.start(['--appendonly', 'yes']);
      await stage.keepReply(2 * HOUR);
      await stage.restartEach(async () => {
        for (const replica of stage.replicas) expect(await stage.ask(replica)).toBe(1);
      });
      expect(stage.runs).toEqual(['none']);
      expect(await stage.copies()).toEqual([1, 1, 1, 1, 1]);
      expect(stage.replicas.flatMap(warnings)).not.toContainEqual(LOST_BY_RESTART);
    },
  );

  it.concurrent('is forgotten if they have none, so that the next call runs; a warning has said so', async () => {
    const stage = await Stage.start();
    await stage.keepReply(2 * HOUR);
    await eventually(() => expect(warnings(stage.replicas[0])).toEqual(Array(5).fill(LOST_BY_RESTART)));
    await stage.restartEach();
    expect(await stage.copies()).toEqual([0, 0, 0, 0, 0]);
    expect([await stage.ask(stage.replicas[1]), await stage.ask(stage.replicas[0])]).toEqual([2, 2]);
    expect(stage.runs).toEqual(['none', 'none']);
  });

  it.concurrent('is given again to nodes that have forgotten it, where duplicates come meanwhile', async () => {
    const stage = await Stage.start();
    await stage.keepReply(HOUR);
    await stage.restartEach(async () => {
      for (const replica of stage.replicas) expect(await stage.ask(replica)).toBe(1);
    });
    expect(stage.runs).toEqual(['none']);
  });
});

describe('a node without a file', () => {
  it('is no reason for a warning where replies are to last for an hour', async () => {
    const stage = await Stage.start();
    for (const { url } of stage.servers)
      await withRedis(url, async (redis) => {
        await redis.setrange('data of others', 10_000_000, '!');
        await redis.config('SET', 'maxmemory', 14_000_000);
      });
    await stage.keepReply(HOUR);
    // The answer that says how full a node is has also said that it has no file.
    await eventually(() => expect(stage.replicas[0].store.isFull()).toBe(true));
    expect(warnings(stage.replicas[0])).toEqual([]);
  });
});
