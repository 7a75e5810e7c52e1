import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const NEVER_ASKS_AGAIN = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
const TERMS = { waitTimeout: 60_000, ttl: 60_000 };

describe('a client that nodes cannot tell of grants', () => {
  let pool: RedisPool;
  beforeAll(async () => {
    pool = await RedisPool.start(3);
    for (const server of pool.servers.keys()) {
      const base = ['on', 'nopass', '~*', '+@all'];
      await pool.ask(server, (redis) => redis.acl('SETUSER', 'mute', ...base, '-@pubsub'));
      await pool.ask(server, (redis) => redis.acl('SETUSER', 'closed', ...base, 'resetchannels'));
    }
  });
  afterAll(() => pool.stop());

  const kinds: [string, RedisOptions][] = [
    ['that speaks RESP2', { protocol: 2 }],
    ['without a right to pub/sub', { username: 'mute', password: 'any' }],
    ['without a right to any channel', { username: 'closed', password: 'any' }],
  ];
  const clientOf = (options: RedisOptions): Promise<RedisPoolClient> =>
    pool.client({ nodes: pool.servers.map(({ host, port }) => ({ host, port, ...options })) });
  const unavailable = ({ events }: RedisPoolClient) => events.filter(({ type }) => type === 'hand-off-unavailable');
  const oneForEach = () =>
    pool.urls.map((node) => ({ type: 'hand-off-unavailable', node, reason: expect.stringMatching(/RESP3|NOPERM/) }));

  describe.each(kinds)('%s', (_, options) => {
    it('says so once for each node, and waits by asking again', async () => {
      const [holder, waiter] = [await pool.client(), await clientOf(options)];
      await eventually(() => expect(unavailable(waiter)).toHaveLength(3));
      for (let round = 0; round < 3; round += 1) {
        const resource = pool.resource();
        const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
        const taking = waiter.redlock.acquire(resource, TERMS);
        await eventually(() => expect(waiter.events).toContainEqual({ type: 'contended', resources: [resource] }));
        await lock.release();
        await (await taking).release();
        await nothingLeft(pool, resource);
      }
      expect(unavailable(waiter)).toHaveLength(3);
      expect(unavailable(waiter)).toEqual(expect.arrayContaining(oneForEach()));
      expect(unavailable(holder)).toEqual([]);
    });

    it('is not passed over for ever by waiters that can be told', async () => {
      const [holder, told, untold] = [await pool.client(), await pool.client(), await clientOf(options)];
      const resource = pool.resource();
      const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
      const taking = [told, untold].map(({ redlock }) => redlock.acquire(resource, TERMS));
      await standing(pool, 2, resource);
      await lock.release();
      await Promise.all(taking.map(async (taken) => (await taken).release()));
      await nothingLeft(pool, resource);
    });

    it('leaves what it releases to the waiters in line', async () => {
      const [holder, waiter] = [await clientOf(options), await pool.client()];
      await eventually(() => expect(unavailable(holder)).toHaveLength(3));
      const resource = pool.resource();
      const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
      const taking = waiter.redlock.acquire(resource, options.protocol ? NEVER_ASKS_AGAIN : TERMS);
      await standing(pool, 1, resource);
      await lock.release();
      await (await taking).release();
      await nothingLeft(pool, resource);
    });

    it('hands over within its own process', async () => {
      const client = await clientOf(options);
      const resource = pool.resource();
      const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
      const taking = [1, 2, 3].map(() => client.redlock.acquire(resource, NEVER_ASKS_AGAIN));
      await lock.release();
      for (const taken of taking) await (await taken).release();
      await nothingLeft(pool, resource);
    });

    it('does not say so again when it is connected again', async () => {
      const client = await clientOf(options);
      await eventually(() => expect(unavailable(client)).toHaveLength(3));
      await pool.ask(0, (redis) => redis.client('KILL', 'TYPE', 'NORMAL'));
      await eventually(() => expect(client.events.filter(({ type }) => type === 'node-up')).toHaveLength(4));
      const lock = await client.redlock.acquire(pool.resource(), TERMS);
      await lock.release();
      await allDone(client);
      expect(unavailable(client)).toHaveLength(3);
    });
  });
});
