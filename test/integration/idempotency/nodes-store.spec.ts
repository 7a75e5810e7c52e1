import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import { Idempotency } from '../../../lib/idempotency/idempotency.js';
import { OnceRunner } from '../../../lib/idempotency/run-once.js';
import { NodesStore, nodesStore } from '../../../lib/idempotency/stores/nodes-store.js';
import type { ReplyStore } from '../../../lib/idempotency/reply-store.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { eventually } from '../../support/eventually.js';
import { realNodes } from '../../support/real-nodes.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { withRedis } from '../../support/redis-client.js';
import { TRUSTING } from '../../support/trust.js';

const KEEP = 60_000;
const [A, B] = [
  { token: 1, owner: 'p.1', fingerprint: 'fa' },
  { token: 2, owner: 'p.2', fingerprint: null },
];

let servers: RedisServer[];
const ends: (() => Promise<void>)[] = [];
beforeEach(async () => {
  servers = await startRedisServers(3);
});
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  await stopAll();
});

const copies = (): Promise<number[]> =>
  Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.exists('lock:k~reply'))));

const onPool = async (): Promise<{ store: ReplyStore; service: RedlockService; events: LockEvent[] }> => {
  const clock = new SystemClock();
  const nodes = realNodes(
    servers.map(({ url }) => url),
    clock,
    TRUSTING,
    'lock:',
  );
  const service = new RedlockService(nodes, { maxTtl: TRUSTING.maxTtl, nodeTimeout: 1_000 }, { clock });
  const events: LockEvent[] = [];
  service.events$.subscribe((event) => events.push(event));
  ends.push(() => service.onApplicationShutdown());
  await service.onModuleInit();
  return { store: new NodesStore(service), service, events };
};

const elsewhere = (): Promise<{ store: ReplyStore }> => {
  const nodes = servers.map(({ url }) => url);
  const store = nodesStore({ nodes, restartQuarantine: false, nodeTimeout: 1_000 });
  ends.push(() => store.close());
  return Promise.resolve({ store });
};

describe.each([
  ['the pool', onPool],
  ['other nodes', elsewhere],
])('a store on %s', (_where, make) => {
  it('keeps one record for a key', async () => {
    const { store } = await make();
    expect(await store.peek('k')).toEqual({ kind: 'none' });
    expect(await store.open('k', A, KEEP)).toEqual({ kind: 'new' });
    expect(await store.peek('k')).toEqual({ kind: 'running', fingerprint: 'fa' });
    expect(await store.open('k', B, KEEP)).toEqual({ kind: 'interrupted', attempts: 1, fingerprint: 'fa' });
    expect(await store.settle('k', A, 'late', KEEP)).toBe('superseded');
    expect(await store.settle('k', B, 'r', KEEP)).toBe('settled');
    const kept = { kind: 'kept', kept: { fingerprint: null, record: 'r' } };
    expect(await store.peek('k')).toEqual(kept);
    expect(await store.open('k', { ...A, token: 3 }, KEEP)).toEqual(kept);
    expect(await store.describe('k')).toMatchObject({ key: 'k', state: 'kept', attempts: 2, size: 1 });
    expect(await copies()).toEqual([1, 1, 1]);
    expect(store.isFull!()).toBe(false);
    expect([await store.forget('k'), await store.forget('k')]).toEqual([true, false]);
  });

  it('leaves nothing but the promise of an attempt that has cleared', async () => {
    const { store } = await make();
    await store.open('k', A, KEEP);
    await store.clear('k', A);
    expect([await store.peek('k'), await store.describe('k')]).toEqual([{ kind: 'none' }, undefined]);
    expect(await store.open('k', B, KEEP)).toEqual({ kind: 'new' });
  });
});

describe('a store on the pool', () => {
  it('settles in the same call as a release of this turn', async () => {
    const { store, service } = await onPool();
    const lock = await service.acquire('k');
    await store.open('k', A, KEEP);
    const calls = (): Promise<number> =>
      withRedis(servers[0]!.url, async (redis) =>
        Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]),
      );
    const before = await calls();
    await Promise.all([store.settle('k', A, 'r', KEEP), lock.release()]);
    expect((await calls()) - before).toBe(1);
  });

  it('tells that a node has missed a reply, and gives it to the node when it is back', async () => {
    const { store, events } = await onPool();
    await servers[2]!.kill();
    expect(await store.settle('k', A, 'r', KEEP)).toBe('settled');
    const thin = { type: 'thin-reply', resources: ['k'], label: expect.any(String), reason: '2 copies' };
    await eventually(() => expect(events).toContainEqual(thin));
    await servers[2]!.restart();
    await eventually(async () => expect(await copies()).toEqual([1, 1, 1]), 20_000);
  });
});

describe('a call that runs once, on the nodes of the locks', () => {
  const callsOn = (url: string): Promise<number> =>
    withRedis(url, async (redis) => {
      const stats = await redis.info('commandstats');
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    });

  it('asks each node twice, as a call under a lock does, and once for a replay', async () => {
    const { service } = await onPool();
    const idempotency = new Idempotency(() => new OnceRunner({ service, store: new NodesStore(service) }), {});
    const url = servers[0]!.url;
    const spent = async (work: () => Promise<unknown>): Promise<number> => {
      const before = await callsOn(url);
      await work();
      return (await callsOn(url)) - before;
    };
    await service.withLock('warm', () => undefined);
    expect(await spent(() => service.withLock('lock', () => undefined))).toBe(2);
    expect(await spent(() => idempotency.once('a', async () => 1))).toBe(2);
    expect(await spent(() => idempotency.once('a', async () => 2))).toBe(1);
    expect(await spent(() => Promise.all([1, 2, 3].map((key) => idempotency.once(`k${key}`, async () => 1))))).toBe(2);
  });
});
