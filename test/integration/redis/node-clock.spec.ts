import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { ClockedServer } from '../../support/clock-shim.js';
import { ClockedPool } from '../../support/clocked-pool.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { allDone, type RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { withRedis } from '../../support/redis-client.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const MAX_TTL = 2_000;
const trust = { maxTtl: MAX_TTL, restartQuarantine: true };
const ONCE = { waitTimeout: 0 };
const PATIENT = { waitTimeout: 20_000, retryDelay: 20, retryJitter: 0 };
const READING = 5;
/** Ms; more than noise, and not so much that the clocks are too far apart. */
const STEP = 700;
const OUT = { code: 'QUORUM_NOT_REACHED', nodes: [{ outcome: expect.stringMatching(/^(quarantined|refused)$/) }] };

describeWithClocks('a node whose clock is set', () => {
  let clocked: ClockedPool;
  let pool: RedisPool;
  let node: ClockedServer;
  let proxy: FaultProxy;
  beforeEach(async () => {
    clocked = await ClockedPool.start(MAX_TTL);
    ({ pool, node, proxy } = clocked);
  });
  afterEach(() => clocked.stop());

  const clientOf = async (url = node.url): Promise<RedisPoolClient> => {
    const client = await pool.client({ nodes: [url], trust });
    await eventually(() => expect(client.events).toContainEqual({ type: 'node-up', node: url }));
    return client;
  };
  /** A client that knows what time the node has. */
  const acquainted = async (): Promise<RedisPoolClient> => {
    const client = await clientOf();
    await (await client.redlock.acquire(pool.resource(), ONCE)).release();
    return client;
  };
  const told = ({ events }: RedisPoolClient, type: LockEvent['type']): LockEvent[] =>
    events.filter((event) => event.type === type);
  const refused = ({ redlock }: RedisPoolClient): Promise<void> =>
    expect(redlock.acquire(pool.resource(), ONCE)).rejects.toMatchObject(OUT);

  it.each([
    ['forward', STEP],
    ['back', -STEP],
  ])('%s does not vote for maxTtl, and an event says why', async (_case, step) => {
    const client = await acquainted();
    await node.step(step);
    const since = performance.now();
    await refused(client);
    const { clockOffset, latency } = (await client.redlock.status()).nodes[0]!;
    expect([Math.abs(clockOffset! - step) < 50, latency! > 0]).toEqual([true, true]);
    expect(told(client, 'node-quarantined')).toEqual([
      {
        type: 'node-quarantined',
        node: node.url,
        reason: expect.stringMatching(/^its clock was changed by \d+ ms, so that leases may have ended early$/),
        remaining: MAX_TTL,
      },
    ]);
    await client.redlock.acquire(pool.resource(), PATIENT);
    expect(performance.now() - since + READING).toBeGreaterThanOrEqual(MAX_TTL);
    expect([told(client, 'node-quarantined').length, told(client, 'node-trusted').length]).toEqual([1, 1]);
  });

  it.each([-60_000, 60_000])(
    'by %i ms does not vote at all, and after it was set right not for maxTtl',
    async (step) => {
      const client = await acquainted();
      await node.step(step);
      const error = await client.redlock.acquire('a', ONCE).catch((reason: unknown) => reason);
      expect((error as Error).message).toMatch(/its clock is more than maxTtl \/ 2 from/);
      expect(told(client, 'node-quarantined')).toHaveLength(1);
      await node.step(-step);
      const since = performance.now();
      await refused(client);
      await client.redlock.acquire('a', PATIENT);
      expect(performance.now() - since + READING).toBeGreaterThanOrEqual(MAX_TTL);
    },
  );

  it('does not vote for clients that could not notice it either', async () => {
    const client = await acquainted();
    const idle = await clientOf();
    await node.step(STEP);
    const since = performance.now();
    await refused(client);
    await allDone(client);
    const stranger = await clientOf();
    for (const other of [idle, stranger]) {
      await refused(other);
      expect(told(other, 'node-quarantined')).toHaveLength(1);
      await expect(other.redlock.status()).resolves.toMatchObject({ quorumReachable: false });
    }
    await stranger.redlock.acquire(pool.resource(), PATIENT);
    expect(performance.now() - since + READING).toBeGreaterThanOrEqual(MAX_TTL);
  });

  it('forward gives no waiter a lock that another client has, by a grant that comes of it', async () => {
    const [holder, rival, other] = [await acquainted(), await acquainted(), await acquainted()];
    await holder.redlock.acquire('a', { ttl: STEP });
    let isHeld = false;
    const waiting = rival.redlock.acquire('a', { ...PATIENT, retryDelay: MAX_TTL }).then(() => (isHeld = true));
    await withRedis(node.url, (redis) => eventually(async () => expect(await redis.zcard('a~queue')).toBe(1)));
    await node.step(STEP);
    await expect(other.redlock.acquire('a', ONCE)).rejects.toThrow();
    await eventually(() => expect(told(rival, 'node-quarantined')).toHaveLength(1));
    expect(isHeld).toBe(false);
    await waiting;
  });

  it('by a snapshot of its machine that is put back, data and clock, does not vote for maxTtl', async () => {
    const [holder, rival] = [await acquainted(), await acquainted()];
    const lock = await holder.redlock.acquire('a', { ttl: MAX_TTL });
    // The snapshot was taken before: it has all that was there, except the lock.
    await withRedis(node.url, (redis) => redis.del('a'));
    await node.step(-STEP);
    expect(lock.isValid).toBe(true);
    await expect(rival.redlock.acquire('a', ONCE)).rejects.toMatchObject(OUT);
    expect(told(rival, 'node-quarantined')).toMatchObject([
      { reason: expect.stringContaining('its clock was changed') },
    ]);
  });

  it('keeps nothing of the vote by which it was noticed', async () => {
    const client = await acquainted();
    await node.step(STEP);
    await expect(client.redlock.acquire('a', ONCE)).rejects.toMatchObject(OUT);
    await allDone(client);
    expect(await withRedis(node.url, (redis) => redis.exists('a'))).toBe(0);
  });

  it('still extends what it has, also beside what it refuses', async () => {
    const client = await acquainted();
    const lock = await client.redlock.acquire('a');
    await node.step(-60_000);
    const asked = client.redlock.acquire('b', ONCE);
    const extended = lock.extend();
    await expect(asked).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
    await expect(extended).resolves.toBeUndefined();
  });

  it('is noticed though the connection broke meanwhile', async () => {
    const client = await clientOf(proxy.url);
    await (await client.redlock.acquire('a', ONCE)).release();
    await node.step(STEP);
    proxy.resetAll();
    await eventually(() => expect(told(client, 'node-up')).toHaveLength(2));
    await refused(client);
  });
});
