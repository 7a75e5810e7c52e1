import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Idempotency, nodesStore } from 'nestjs-redlock/idempotency';
import { OnceRunner } from '../../../lib/idempotency/run-once.js';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { OnceOnNodes, type ReplicaOnNodes } from '../../support/once-on-nodes.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

/** Bytes: so many that a few connections more or less are no per cent of them. */
const OTHER_DATA = 30_000_000;

const replicas = new OnceOnNodes();
let servers: RedisServer[];
let one: ReplicaOnNodes;
let two: ReplicaOnNodes;

/** Limits the memory of a node, so that so many per cent of it are in use. */
const fill = ({ url }: RedisServer, percent: number): Promise<void> =>
  withRedis(url, async (redis) => {
    await redis.setrange('data of others', OTHER_DATA, '!');
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]);
    await redis.config('SET', 'maxmemory', Math.floor((100 * used) / percent));
  });

/** Resolves once the replica knows how full its nodes are: it asks them with its first call. */
const untilKnown = async ({ store }: ReplicaOnNodes): Promise<void> => {
  await store.peek('first of the replica');
  await eventually(() => expect(store.isFull()).toBe(true));
};

const recordsOf = (key: string): Promise<(string | null)[]> =>
  Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.hget(`lock:${key}~reply`, 'v'))));

const startReplicas = async (): Promise<void> => {
  [one, two] = await Promise.all([replicas.start(servers), replicas.start(servers)]);
};

beforeEach(async () => {
  servers = await startRedisServers(5);
});

afterEach(async () => {
  await replicas.close();
  await endAll();
});

const REPLY = { text: 'a reply of some length '.repeat(20) };

describe.each([
  ['all nodes use', () => servers],
  ['one of five nodes uses', () => [servers[2]!]],
])('where %s 71 % of the memory', (_how, full) => {
  beforeEach(async () => {
    await Promise.all(full().map((server) => fill(server, 71)));
    await startReplicas();
    await untilKnown(one);
  });

  it('the first caller has its reply, of which a tombstone stays: a duplicate is refused, and does not run', async () => {
    expect(await one.idempotency.once('k', async () => REPLY, { label: 'charge' })).toEqual(REPLY);
    const [tombstone] = one.log.events.filter(({ type }) => type === 'tombstone');
    expect(tombstone).toMatchObject({ resources: ['k'], label: 'charge', reason: 'full' });
    let runs = 0;
    const duplicates = [one, two].map(({ idempotency }) => idempotency.once('k', async () => (runs += 1)));
    const codes = await Promise.allSettled(duplicates);
    const refused = { status: 'rejected', reason: { code: 'IDEMPOTENCY_REPLY_NOT_KEPT' } };
    expect(codes).toMatchObject([refused, refused]);
    expect(runs).toBe(0);
    await eventually(async () => expect(await recordsOf('k')).not.toContain(null));
    for (const record of await recordsOf('k')) expect(record!.length).toBeLessThan(100);
  });

  it('locks are as they were', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<string> => {
      most = Math.max(most, (inside += 1));
      await new Promise(setImmediate);
      inside -= 1;
      return 'done';
    };
    const calls = Array.from({ length: 10 }, (_, at) => [one, two][at % 2]!.service.withLock('order:1', work));
    expect(await Promise.all(calls)).toEqual(Array(10).fill('done'));
    expect(most).toBe(1);
    expect([one, two].map(({ log }) => log.count('node-refused'))).toEqual([0, 0]);
  });
});

describe('where the nodes use 60 % of their memory', () => {
  it('replies are kept whole', async () => {
    await Promise.all(servers.map((server) => fill(server, 60)));
    await startReplicas();
    for (const key of ['k', 'l']) {
      expect(await one.idempotency.once(key, async () => REPLY)).toEqual(REPLY);
      expect(await two.idempotency.once(key, () => Promise.reject(new Error('it runs')))).toEqual(REPLY);
    }
    expect(one.log.count('tombstone')).toBe(0);
  });
});

describe('when nodes of their own for replies use all of their memory', () => {
  it('no call runs without a reply that could be kept, and locks are as they were', async () => {
    const forReplies = await startRedisServers(3);
    await Promise.all(forReplies.map((server) => fill(server, 100)));
    await startReplicas();
    const store = nodesStore({ nodes: forReplies.map(({ url }) => url), restartQuarantine: false });
    const idempotency = new Idempotency(() => new OnceRunner({ service: one.service, store }), {});
    let runs = 0;
    const call = idempotency.once('k', async () => (runs += 1), { waitTimeout: 500 });
    await expect(call).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    expect(runs).toBe(0);
    expect(await two.service.withLock('k', () => 'done')).toBe('done');
    expect([one, two].map(({ log }) => log.count('node-refused'))).toEqual([0, 0]);
    await store.close();
  });
});
