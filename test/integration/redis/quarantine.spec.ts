import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { eventually } from '../../support/eventually.js';
import { RedisPool, allDone } from '../../support/redis-pool.js';
import { ONCE, PATIENT, type RedisPoolClient, msSince } from '../../support/redis-pool-client.js';
import { MAX_TTL, WARY, onDisk, startTrusted, waryClient } from '../../support/wary-redis.js';

/** Most of these tests wait for a quarantine to end, so that several are run at the same time, each on nodes of its own. */
const pools: RedisPool[] = [];
const opened = async (pool: Promise<RedisPool>): Promise<RedisPool> => pools[pools.push(await pool) - 1]!;
const onDiskAtOnce = onDisk === it ? it.concurrent : it.skip;
afterAll(() => Promise.all(pools.map((pool) => pool.stop())));

describe('restart quarantine', () => {
  const terms = { maxTtl: 4_000, restartQuarantine: true };

  it.concurrent('keeps out of the vote for maxTtl, and lets back then, a node that is new', async () => {
    const pool = await opened(RedisPool.start(1));
    const since = performance.now();
    const client = await waryClient(pool);
    await expect(client.refusal()).resolves.toMatchObject({ nodes: [{ outcome: 'quarantined' }] });
    expect(await client.votesAfter(since)).toBeGreaterThanOrEqual(MAX_TTL);
    expect([client.count('node-quarantined'), client.count('node-trusted')]).toEqual([1, 1]);
  });

  it.concurrent.each<[string, boolean, (pool: RedisPool) => Promise<unknown>]>([
    ['that was killed and restarted empty', true, (pool) => pool.servers[0]!.restart()],
    ['that was emptied', false, (pool) => pool.ask(0, (redis) => redis.flushall())],
    ['whose database was emptied', false, (pool) => pool.ask(0, (redis) => redis.flushdb())],
    [
      'that was a replica for a while',
      false,
      async (pool) => {
        const [host, port] = ['127.0.0.1', String(pool.servers[1]!.port)] as const;
        await pool.ask(0, (redis) => redis.replicaof(host, port));
        await eventually(async () =>
          expect(await pool.ask(0, (redis) => redis.info('replication'))).toMatch(/master_link_status:up/),
        );
        await pool.ask(0, (redis) => redis.call('REPLICAOF', 'NO', 'ONE'));
      },
    ],
  ])('keeps out of the vote for maxTtl, and lets back then, a node %s', async (_case, reconnects, forget) => {
    const pool = await opened(startTrusted(2));
    const client = await waryClient(pool, { nodes: [pool.urls[0]!] });
    await client.redlock.acquire('warm-up', ONCE);
    const since = performance.now();
    await forget(pool);
    if (reconnects) await client.untilTold('node-up', 2);
    const error = await client.refusal();
    expect(error.nodes).toEqual([{ node: pool.urls[0], outcome: 'quarantined', detail: expect.any(String) }]);
    expect(await client.votesAfter(since)).toBeGreaterThanOrEqual(MAX_TTL);
    expect([client.count('node-quarantined'), client.count('node-trusted')]).toEqual([1, 1]);
  });

  onDiskAtOnce(
    'keeps out a node restarted with what it had on its disk: it extends and releases what is left',
    async () => {
      const pool = await opened(startTrusted(1, terms.maxTtl));
      const client = await waryClient(pool, { trust: terms });
      const [kept, freed] = [await client.redlock.acquire('kept'), await client.redlock.acquire('freed')];
      await pool.ask(0, (redis) => redis.save());
      const forgotten = await client.redlock.acquire('forgotten');
      const since = performance.now();
      await pool.servers[0]!.restart();
      await client.untilTold('node-up', 2);
      expect(await pool.owners('kept')).toEqual([kept.value]);
      expect(await pool.owners('forgotten')).toEqual([null]);
      const rival = await waryClient(pool, { trust: terms });
      await expect(rival.refusal('forgotten')).resolves.toMatchObject({ nodes: [{ outcome: 'quarantined' }] });
      await kept.extend();
      await freed.release();
      expect(await pool.owners('kept')).toEqual([kept.value]);
      expect(await pool.owners('freed')).toEqual([null]);
      await rival.redlock.acquire('forgotten', PATIENT);
      expect(forgotten.isValid).toBe(false);
      expect(msSince(since)).toBeGreaterThanOrEqual(terms.maxTtl);
    },
  );

  const holdAndRestart = async (pool: RedisPool, client: RedisPoolClient, rival: RedisPoolClient) => {
    const lock = await client.redlock.acquire('a');
    await allDone(client);
    expect(await pool.owners('a')).toEqual(Array(3).fill(lock.value));
    await Promise.all([0, 1].map((server) => pool.servers[server]!.restart()));
    await rival.untilTold('node-up', 5);
    return lock;
  };

  it.concurrent(
    'keeps a held lock from all others until its lease has ended, if two of three nodes restart empty',
    async () => {
      const pool = await opened(startTrusted(3, terms.maxTtl));
      const [client, rival] = [await waryClient(pool, { trust: terms }), await waryClient(pool, { trust: terms })];
      const lock = await holdAndRestart(pool, client, rival);
      const error = await rival.refusal('a');
      expect(error).toBeInstanceOf(QuorumNotReachedError);
      expect(error.message).toMatch(/2 of 3 nodes are in quarantine.*; locks are possible again in \d+ ms/);
      const next = await rival.redlock.acquire('a', PATIENT);
      expect(lock.isValid).toBe(false);
      expect(next.fencingToken).toBeGreaterThan(lock.fencingToken);
    },
  );

  it.concurrent('is what protects that lock: without it a rival gets the lock at once', async () => {
    const off = { ...terms, restartQuarantine: false };
    const pool = await opened(RedisPool.start(3));
    const [client, rival] = [await waryClient(pool, { trust: off }), await waryClient(pool, { trust: off })];
    const lock = await holdAndRestart(pool, client, rival);
    await expect(rival.redlock.acquire('a', ONCE)).resolves.toMatchObject({ isValid: true });
    expect(lock.isValid).toBe(true);
  });

  const RARELY = { waitTimeout: 20_000, retryDelay: 500, retryJitter: 0 };
  const inLine = (pool: RedisPool): Promise<number> => pool.ask(0, (redis) => redis.zcard('a~queue'));

  it.concurrent('gives nothing to a waiter in the line of a node, when something is released there', async () => {
    const pool = await opened(startTrusted(1));
    const [client, waiter] = [await waryClient(pool), await waryClient(pool)];
    const lock = await client.redlock.acquire('a');
    const waiting = waiter.redlock.acquire('a', RARELY);
    await eventually(async () => expect(await inLine(pool)).toBe(1));
    // As a node that was set back: its line is there, and it is not known what else was.
    const since = performance.now();
    await pool.ask(0, (redis) => redis.set('~node', `${'0'.repeat(40)}|1|${MAX_TTL}`));
    await lock.release();
    await allDone(client);
    expect([await inLine(pool), await pool.owners('a')]).toEqual([1, [null]]);
    await waiting;
    expect(msSince(since)).toBeGreaterThanOrEqual(MAX_TTL);
  });

  it.concurrent('gives a waiter the lock at once when nothing happened to the node', async () => {
    const pool = await opened(startTrusted(1));
    const [client, waiter] = [await waryClient(pool), await waryClient(pool)];
    const lock = await client.redlock.acquire('a', { autoExtend: true });
    const waiting = waiter.redlock.acquire('a', RARELY);
    await eventually(async () => expect(await inLine(pool)).toBe(1));
    await lock.release();
    await expect(waiting).resolves.toMatchObject({ isValid: true });
    expect(waiter.count('node-quarantined')).toBe(0);
  });

  it.concurrent('tells its state, why and for how long, and when it is over', async () => {
    const pool = await opened(startTrusted(3));
    const client = await waryClient(pool);
    await Promise.all([0, 1].map((server) => pool.servers[server]!.restart()));
    await client.untilTold('node-quarantined', 2);
    const status = await client.redlock.status();
    const answered = { latency: expect.any(Number), clockOffset: 0 };
    const out = {
      ...answered,
      up: true,
      votes: false,
      votesIn: expect.any(Number),
      reason: expect.stringMatching(/forgotten/),
    };
    expect(status).toEqual({
      nodes: [
        { node: pool.urls[0], ...out },
        { node: pool.urls[1], ...out },
        { node: pool.urls[2], up: true, votes: true, ...answered },
      ],
      quorum: 2,
      quorumReachable: false,
    });
    const { votesIn } = status.nodes[0]!;
    expect(votesIn).toBeGreaterThan(0);
    expect(votesIn).toBeLessThanOrEqual(MAX_TTL);
    const error = await client.refusal();
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(MAX_TTL);
    await eventually(async () => {
      const { nodes, quorumReachable } = await client.redlock.status();
      expect([quorumReachable, nodes.map(({ votes }) => votes)]).toEqual([true, [true, true, true]]);
    });
    await client.untilTold('node-trusted', 2);
    expect(client.events.filter(({ type }) => type === 'node-quarantined')).toEqual([
      expect.objectContaining({ reason: expect.stringMatching(/restarted/), remaining: expect.any(Number) }),
      expect.objectContaining({ reason: expect.stringMatching(/restarted/), remaining: expect.any(Number) }),
    ]);
    await allDone(client);
    expect([client.count('node-quarantined'), client.count('node-trusted')]).toEqual([2, 2]);
  });
});

describe('restart quarantine', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const marker = (): Promise<string | null> => pool.ask(0, (redis) => redis.get('~node'));

  describe('is not begun', () => {
    it('by a node that was made to forget the script', async () => {
      pool = await startTrusted(1);
      const client = await waryClient(pool);
      await client.redlock.acquire('a', ONCE);
      const before = await marker();
      await pool.ask(0, (redis) => redis.script('FLUSH'));
      await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
      expect([await marker(), client.count('node-quarantined')]).toEqual([before, 0]);
    });

    it('by a connection that broke', async () => {
      pool = await startTrusted(1);
      const [proxy] = await pool.proxies();
      const client = await waryClient(pool, { nodes: [proxy!.url] });
      await client.redlock.acquire('a', ONCE);
      const before = await marker();
      proxy!.resetAll();
      await client.untilTold('node-up', 2);
      await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
      expect([await marker(), client.count('node-quarantined')]).toEqual([before, 0]);
    });

    it('by a client that comes later', async () => {
      pool = await startTrusted(1);
      await (await waryClient(pool)).redlock.acquire('a', ONCE);
      await expect((await waryClient(pool)).redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
    });

    it('if it is off', async () => {
      pool = await RedisPool.start(1);
      const client = await waryClient(pool, { trust: { ...WARY, restartQuarantine: false } });
      await expect(client.redlock.acquire('a', ONCE)).resolves.toMatchObject({ isValid: true });
      expect(await marker()).toBeNull();
    });
  });

  it('begins for a new node when a client connects, and not with the first lock', async () => {
    pool = await RedisPool.start(1);
    await waryClient(pool);
    await eventually(async () => expect(await marker()).toMatch(/^[0-9a-f]{40}\|\d+\|1500$/));
  });
});

const OFF = { ...WARY, restartQuarantine: false };

describe('clients that differ in restartQuarantine', () => {
  let pool: RedisPool;
  beforeEach(async () => {
    pool = await RedisPool.start(1);
  });
  afterEach(() => pool.stop());

  const warnings = ({ events }: RedisPoolClient): string[] =>
    events.flatMap((event) => (event.type === 'node-warning' ? [event.reason] : []));

  it('are noticed by the one without it, if one with it was there before', async () => {
    const careful = await waryClient(pool);
    await careful.untilTold('node-quarantined');
    const hasty = await pool.client({ trust: OFF });
    await hasty.untilTold('node-warning');
    expect(warnings(hasty)).toEqual([expect.stringMatching(/have restartQuarantine on, and this client has it off/)]);
    expect(careful.count('node-warning')).toBe(0);
  });

  it('are noticed by the one with it, if one without it took locks before', async () => {
    const hasty = await pool.client({ trust: OFF });
    await (await hasty.redlock.acquire('a')).release();
    const careful = await waryClient(pool);
    await careful.untilTold('node-warning');
    expect(warnings(careful)).toEqual([expect.stringMatching(/clients with restartQuarantine: false use or used it/)]);
    expect(hasty.count('node-warning')).toBe(0);
  });
});

describe('maxTtl', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  describe('with a ttl above it', () => {
    it.each([true, false])('has the node refuse it as well: restartQuarantine %s', async (restartQuarantine) => {
      pool = await startTrusted(1);
      // A client that knows nothing of what it may ask for.
      const { redlock } = await waryClient(pool, { trust: { maxTtl: MAX_TTL, restartQuarantine }, maxTtl: 60_000 });
      const asked = { ...ONCE, ttl: MAX_TTL + 1 };
      for (const resource of ['a', ['b', 'c']]) {
        const error = await redlock.acquire(resource, asked).catch((reason: unknown) => reason);
        expect((error as Error).message).toMatch(/a ttl of 1501 ms is above its maxTtl/);
      }
      const left = await Promise.all(['a', 'b', 'c'].map((key) => pool.ask(0, (redis) => redis.pttl(key))));
      expect(left).toEqual([-2, -2, -2]);
    });
  });

  it('need not be a whole number', async () => {
    pool = await RedisPool.start(1);
    const client = await waryClient(pool, { trust: { maxTtl: 1_000 / 3, restartQuarantine: true } });
    const lock = await client.redlock.acquire('a', PATIENT);
    await expect(lock.extend()).resolves.toBeUndefined();
    await expect(client.redlock.acquire('b', ONCE)).resolves.toMatchObject({ isValid: true });
  });
});

describe('maxTtl if clients have another one: the quarantine', () => {
  const [short, long] = [
    { maxTtl: 400, restartQuarantine: true },
    { maxTtl: 1_500, restartQuarantine: true },
  ];

  it.concurrent('lasts for the greater one, and warns the client that comes second', async () => {
    const pool = await opened(RedisPool.start(1));
    const since = performance.now();
    const careful = await waryClient(pool, { trust: long });
    await careful.untilTold('node-quarantined');
    const hasty = await waryClient(pool, { trust: short });
    await hasty.untilTold('node-warning');
    expect(hasty.events).toContainEqual({
      type: 'node-warning',
      node: pool.urls[0],
      reason: expect.stringMatching(/other clients use a maxTtl of 1500 ms, and this client uses 400/),
    });
    expect(await hasty.votesAfter(since)).toBeGreaterThanOrEqual(1_500);
    expect(careful.count('node-warning')).toBe(0);
  });

  it.concurrent('lasts for the greater one also when the client with the greater one comes second', async () => {
    const pool = await opened(RedisPool.start(1));
    const since = performance.now();
    const hasty = await waryClient(pool, { trust: short });
    await hasty.redlock.acquire('a', { ttl: 300, ...PATIENT });
    const careful = await waryClient(pool, { trust: long });
    await careful.untilTold('node-warning');
    await expect(hasty.refusal()).resolves.toMatchObject({ nodes: [{ outcome: 'quarantined' }] });
    expect(await hasty.votesAfter(since)).toBeGreaterThanOrEqual(1_500);
  });

  onDiskAtOnce('lasts for the greater one also after the next restart', async () => {
    const pool = await opened(startTrusted(1, long.maxTtl));
    const client = await waryClient(pool, { trust: short });
    await client.redlock.acquire('a', ONCE);
    await pool.ask(0, (redis) => redis.save());
    const since = performance.now();
    await pool.servers[0]!.restart();
    await client.untilTold('node-up', 2);
    expect(await client.votesAfter(since)).toBeGreaterThanOrEqual(1_500);
  });
});
