import { afterEach, describe, expect, it } from '@jest/globals';
import { ClockedServer } from '../../support/clock-shim.js';
import { eventually } from '../../support/eventually.js';
import { RedisPool } from '../../support/redis-pool.js';
import type { RedisPoolClient } from '../../support/redis-pool-client.js';
import { vouchFor } from '../../support/vouch.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const MAX_TTL = 1_500;
const ONCE = { waitTimeout: 0 };
/** Ms by which a clock is off that is off too far. */
const FAR = 60_000;

/** A reason for which a node gives no votes, and how that ends. */
interface Refusal {
  readonly begin: (pool: RedisPool) => Promise<unknown>;
  readonly end: (pool: RedisPool) => Promise<unknown>;
  readonly reason: RegExp;
}

const config = (name: string, value: string) => (pool: RedisPool) =>
  pool.ask(0, (redis) => redis.config('SET', name, value));
const user =
  (...rights: string[]) =>
  (pool: RedisPool) =>
    pool.ask(0, (redis) => redis.acl('SETUSER', 'default', ...rights));
const replicaOf =
  (...words: [string, string]) =>
  (pool: RedisPool) =>
    pool.ask(0, (redis) => redis.call('REPLICAOF', ...words));

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'is full': {
    begin: config('maxmemory', '1'),
    end: config('maxmemory', '0'),
    reason: /^OOM .* - its memory is full/,
  },
  'is a replica': {
    // A replica of no master, so that it forgets nothing.
    begin: replicaOf('127.0.0.1', '1'),
    end: replicaOf('NO', 'ONE'),
    reason: /^READONLY .* - it is a replica: point the pool at the master$/,
  },
  'has too few replicas for its min-replicas-to-write': {
    begin: config('min-replicas-to-write', '1'),
    end: config('min-replicas-to-write', '0'),
    reason: /^NOREPLICAS .* - its min-replicas-to-write wants more/,
  },
  'gives its user no right to the keys': {
    begin: user('resetkeys'),
    end: user('allkeys'),
    reason: /^NOPERM .* - grant its user/,
  },
  'lets its user run no EVALSHA': {
    begin: user('-evalsha'),
    end: user('+evalsha'),
    reason: /^NOPERM .* - grant its user/,
  },
  'lets its user run neither EVAL nor EVALSHA': {
    begin: user('-eval', '-evalsha'),
    end: user('+eval', '+evalsha'),
    reason: /^NOPERM .* - grant its user/,
  },
  'lets its user write nothing': {
    begin: user('-set', '-del'),
    end: user('+set', '+del'),
    reason: /^ERR (The user executing the|ACL failure in) script.* - grant its user/,
  },
};

/** What the status says of any node that answers. */
const ANSWERED = { latency: expect.any(Number), clockOffset: expect.any(Number) };

describe.each([false, true])('a node that refuses its votes, where restarts count: %s,', (restartQuarantine) => {
  const trust = { maxTtl: MAX_TTL, restartQuarantine };
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const clientOf = (url = pool.urls[0]!): Promise<RedisPoolClient> => pool.client({ nodes: [url], trust });
  const eventsOf = ({ events }: RedisPoolClient): unknown[] =>
    events.filter(({ type }) => type === 'node-refused' || type === 'node-accepted');
  const refusedFor = (reason: RegExp, node = pool.urls[0]!): object => ({
    type: 'node-refused',
    node,
    reason: expect.stringMatching(reason),
  });

  describe.each(Object.entries(REFUSALS))('since it %s,', (_case, { begin, end, reason }) => {
    it('does not vote by status() either; one event says so, and one that it votes again', async () => {
      pool = await RedisPool.start(1);
      await vouchFor(pool.urls[0]!, MAX_TTL);
      const client = await clientOf();
      const { redlock } = client;
      await expect(redlock.status()).resolves.toMatchObject({ nodes: [{ votes: true }], quorumReachable: true });
      await begin(pool);
      await expect(redlock.status()).resolves.toEqual({
        nodes: [{ ...ANSWERED, node: pool.urls[0], up: true, votes: false, reason: expect.stringMatching(reason) }],
        quorum: 1,
        quorumReachable: false,
      });
      for (let times = 0; times < 3; times += 1)
        await expect(redlock.acquire('a', ONCE)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
      expect(eventsOf(client)).toEqual([refusedFor(reason)]);
      await end(pool);
      await expect(redlock.status()).resolves.toMatchObject({ nodes: [{ votes: true }], quorumReachable: true });
      await eventually(async () => {
        await (await redlock.acquire(pool.resource(), ONCE)).release();
        expect(eventsOf(client)).toHaveLength(2);
      });
      expect(eventsOf(client)).toEqual([refusedFor(reason), { type: 'node-accepted', node: pool.urls[0] }]);
      expect(await pool.ask(0, (redis) => redis.keys('*probe*'))).toEqual([]);
    });
  });

  describeWithClocks('since its clock and ours are apart', () => {
    it('does not vote by status() either, and is told of', async () => {
      pool = await RedisPool.start(0);
      const node = await ClockedServer.start();
      try {
        await vouchFor(node.url, MAX_TTL);
        const client = await clientOf(node.url);
        await client.untilTold('node-up');
        // So that nothing is on its way that would notice the step first.
        await expect(client.redlock.status()).resolves.toMatchObject({ quorumReachable: true });
        await node.step(FAR);
        await expect(client.redlock.status()).resolves.toMatchObject({
          nodes: [{ votes: false, reason: expect.stringMatching(/^its clock is more than maxTtl \/ 2 from .* NTP$/) }],
          quorumReachable: false,
        });
        expect(eventsOf(client)).toEqual([refusedFor(/its clock is more than/, node.url)]);
      } finally {
        await node.stop();
      }
    });
  });
});
