import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { withRedis } from '../../support/redis-client.js';
import { RedisPool } from '../../support/redis-pool.js';
import { msSince, ONCE, type RedisPoolClient } from '../../support/redis-pool-client.js';
import type { RedisServer } from '../../support/redis-server.js';
import { startTrusted } from '../../support/wary-redis.js';

/** Ms; long, so that no lease and no quarantine ends during a test. */
const MAX_TTL = 60_000;
/** Ms; short, so that a client can ask for nothing for longer. */
const SHORT = 500;
const HELD = { code: 'RESOURCE_LOCKED' };

describe('an address that moves to another server', () => {
  let pool: RedisPool;
  let moving: FaultProxy;
  /** The server to which the address leads at first, and one that has voted elsewhere for as long. */
  let first: RedisServer;
  let spare: RedisServer;
  beforeEach(async () => {
    pool = await startTrusted(4, MAX_TTL);
    moving = (await pool.proxies())[0]!;
    [first, spare] = [pool.servers[0]!, pool.servers[3]!];
  });
  afterEach(() => pool.stop());

  /** A client of a pool of three, to which the address belongs. */
  const connect = async (maxTtl = MAX_TTL): Promise<RedisPoolClient> => {
    const nodes = [moving.url, ...pool.urls.slice(1, 3)];
    const client = await pool.client({ nodes, trust: { maxTtl, restartQuarantine: true } });
    await client.untilTold('node-up', 3);
    return client;
  };
  /** Resolves when these clients are connected to the server to which the address leads from now on. */
  const leadTo = async (server: RedisServer, ...clients: readonly RedisPoolClient[]): Promise<void> => {
    const ups = clients.map((client) => client.count('node-up'));
    moving.redirect(server);
    await Promise.all(clients.map((client, index) => client.untilTold('node-up', ups[index]! + 1)));
  };
  const lockOnce = async ({ redlock }: RedisPoolClient): Promise<void> =>
    (await redlock.acquire('once', { ttl: SHORT, ...ONCE })).release();
  /** Has a lock on the first two of three nodes only, so that the third one and a server that knows nothing of it are a majority. */
  const holdOnTwo = async ({ redlock }: RedisPoolClient): Promise<void> => {
    await pool.plant(2, 'held', { ttl: MAX_TTL });
    const lock = await redlock.acquire('held', { ttl: MAX_TTL, ...ONCE });
    await eventually(async () => expect(await pool.owners('held', [0, 1])).toEqual([lock.value, lock.value]));
    await pool.ask(2, (redis) => redis.del('held'));
  };
  /** Since when the server votes or is in quarantine, ms on its clock. */
  const markedAt = async ({ url }: RedisServer): Promise<number> =>
    Number((await withRedis(url, (redis) => redis.get('~node')))!.split('|')[1]) / 1_000;
  const untilMarkedAfter = (time: number): Promise<void> =>
    eventually(async () => expect(await markedAt(spare)).toBeGreaterThanOrEqual(time), 5_000);

  it('gives nobody there what another client has by the server before', async () => {
    const [holder, rival] = [await connect(), await connect()];
    await lockOnce(rival);
    await holdOnTwo(holder);
    await leadTo(spare, holder, rival);
    expect(await rival.refusal('held')).toMatchObject(HELD);
  });

  it('gives it to no client either that has something to give back there, and may not send scripts by their text', async () => {
    const earlier = await pool.client({ nodes: [spare.url], trust: { maxTtl: MAX_TTL, restartQuarantine: true } });
    await lockOnce(earlier);
    await withRedis(spare.url, (redis) => redis.call('ACL', 'SETUSER', 'default', '-eval'));
    const [holder, rival] = [await connect(), await connect()];
    const owed = await rival.redlock.acquire('owed', { ttl: MAX_TTL, ...ONCE });
    await holdOnTwo(holder);
    const up = rival.count('node-up');
    moving.redirect(spare);
    await owed.release();
    await rival.untilTold('node-up', up + 1);
    expect(await rival.refusal('held')).toMatchObject(HELD);
  });

  it('gives it to no client that has just been started either, once another one has been there', async () => {
    const holder = await connect();
    const before = Date.now();
    await holdOnTwo(holder);
    await leadTo(spare, holder);
    // The next call of a client that has noticed it says so to all others.
    await holder.redlock.status();
    await untilMarkedAfter(before);
    expect(await (await connect()).refusal('held')).toMatchObject(HELD);
  });

  it('has the server wait also where a client has asked for nothing for longer than maxTtl', async () => {
    const client = await connect(SHORT);
    await lockOnce(client);
    const since = performance.now();
    await eventually(() => expect(msSince(since)).toBeGreaterThan(3 * SHORT), 10_000);
    const before = Date.now();
    await leadTo(spare, client);
    await client.redlock.status();
    await untilMarkedAfter(before);
  });

  it('has a server that has only been restarted wait, too', async () => {
    const [client, other] = [
      await connect(),
      await pool.client({ trust: { maxTtl: MAX_TTL, restartQuarantine: true } }),
    ];
    await lockOnce(client);
    const since = performance.now();
    moving.blackhole = true;
    await first.restart();
    await other.untilTold('node-quarantined');
    const begun = await markedAt(first);
    await eventually(() => expect(msSince(since)).toBeGreaterThan(1_000), 10_000);
    moving.blackhole = false;
    await leadTo(first, client);
    expect((await client.redlock.status()).nodes[0]).toMatchObject({ up: true, votes: false });
    // At most until this client has noticed it, for a quarantine of its own.
    expect((await markedAt(first)) - begun).toBeLessThan(5_000);
  });
});
