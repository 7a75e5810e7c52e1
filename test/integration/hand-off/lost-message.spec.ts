import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { eventually } from '../../support/eventually.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

const ALL = [0, 1, 2, 3, 4];

describe('a grant that does not reach its waiter', () => {
  let pool: RedisPool;
  let proxies: FaultProxy[];
  let waiter: RedisPoolClient;
  let resource: string;
  let lock: Lock;
  beforeAll(async () => void (pool = await RedisPool.start(5)));
  afterAll(() => pool.stop());
  beforeEach(async () => {
    resource = pool.resource();
    proxies = await pool.proxies();
    const nodes = proxies.map(({ host, port }) => ({ host, port, connectionName: resource }));
    waiter = await pool.client({ nodes });
    lock = await (await pool.client()).redlock.acquire(resource, { ttl: 60_000 });
  });
  afterEach(() => waiter.redlock.close());

  const wait = async (retryDelay?: number): Promise<Promise<Lock>[]> => {
    const terms = { waitTimeout: 60_000, ttl: 60_000, ...(retryDelay !== undefined && { retryDelay }) };
    const taking = [waiter.redlock.acquire(resource, terms)];
    await standing(pool, 1, resource);
    return taking;
  };
  const killConnections = async (servers: readonly number[]): Promise<void> => {
    for (const server of servers) {
      const clients = await pool.ask(server, (redis) => redis.client('LIST'));
      const [, id] = new RegExp(`^id=(\\d+) .*name=${resource} `, 'm').exec(String(clients))!;
      expect(await pool.ask(server, (redis) => redis.client('KILL', 'ID', id!))).toBe(1);
    }
  };
  const ups = (): number => waiter.events.filter(({ type }) => type === 'node-up').length;
  const givenBack = async ([taking]: Promise<Lock>[]): Promise<void> => {
    const taken = await taking!;
    expect(taken.isValid).toBe(true);
    await taken.release();
    await nothingLeft(pool, resource);
  };

  it('because all its connections are new only delays the waiter', async () => {
    const taking = await wait();
    await killConnections(ALL);
    await eventually(() => expect(ups()).toBe(10));
    await lock.release();
    await givenBack(taking);
  });

  it('on a minority makes no difference', async () => {
    const taking = await wait(60_000);
    await killConnections([1, 3]);
    await lock.release();
    await givenBack(taking);
  });

  it('because it was lost on the way only delays the waiter', async () => {
    const taking = await wait();
    for (const proxy of proxies) proxy.blackhole = true;
    await lock.release();
    await standing(pool, 0, resource);
    for (const proxy of proxies) {
      proxy.blackhole = false;
      proxy.resetAll();
    }
    await givenBack(taking);
  });
});

describe('nodes that forget the script', () => {
  let pool: RedisPool;
  beforeAll(async () => void (pool = await RedisPool.start(5)));
  afterAll(() => pool.stop());

  const forget = async (): Promise<void> => {
    for (const server of ALL) await pool.ask(server, (redis) => redis.script('FLUSH'));
  };

  it('hand the lock over all the same, whichever process finds out', async () => {
    const resource = pool.resource();
    const [holder, first, second] = [await pool.client(), await pool.client(), await pool.client()];
    const lock = await holder.redlock.acquire(resource, { ttl: 60_000 });
    const options = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
    const waiting: Promise<Lock>[] = [];
    for (const { redlock } of [first, second]) {
      await forget();
      waiting.push(redlock.acquire(resource, options));
      await standing(pool, waiting.length, resource);
    }
    // Behind the one in front of it in its own process.
    waiting.push(first.redlock.acquire(resource, options));
    await forget();
    await lock.release();
    for (const taking of waiting) {
      const taken = await taking;
      await forget();
      await taken.extend();
      await forget();
      await taken.release();
    }
    await nothingLeft(pool, resource);
  });
});
