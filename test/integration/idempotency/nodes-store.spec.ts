import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { OnceOnNodes, type ReplicaOnNodes } from '../../support/once-on-nodes.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const replicas = new OnceOnNodes();
let servers: RedisServer[];
let replica: ReplicaOnNodes;

beforeEach(async () => {
  servers = await startRedisServers(3);
  replica = await replicas.start(servers);
});

afterEach(async () => {
  await replicas.close();
  await endAll();
});

it('tells that a node has missed a reply, and gives it to the node when it is back', async () => {
  const { store, log } = replica;
  await servers[2]!.kill();
  expect(await store.settle('k', { token: 1, owner: 'p.1', fingerprint: null }, 'r', 60_000)).toBe('settled');
  const thin = { type: 'thin-reply', resources: ['k'], label: expect.any(String), reason: '2 copies' };
  await eventually(() => expect(log.events).toContainEqual(thin));
  await servers[2]!.restart();
  const copy = (): Promise<number> => withRedis(servers[2]!.url, (redis) => redis.exists('lock:k~reply'));
  await eventually(async () => expect(await copy()).toBe(1), 20_000);
});

it('asks each node twice for a call that runs, as for a lock, and once for a replay', async () => {
  const { idempotency, service } = replica;
  const calls = async (): Promise<number> => {
    const stats = await withRedis(servers[0]!.url, (redis) => redis.info('commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const spent = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await calls();
    await work();
    return (await calls()) - before;
  };
  await service.withLock('warm', () => undefined);
  expect(await spent(() => service.withLock('lock', () => undefined))).toBe(2);
  expect(await spent(() => idempotency.once('a', async () => 1))).toBe(2);
  expect(await spent(() => idempotency.once('a', async () => 2))).toBe(1);
  expect(await spent(() => Promise.all([1, 2, 3].map((key) => idempotency.once(`k${key}`, async () => 1))))).toBe(2);
});
