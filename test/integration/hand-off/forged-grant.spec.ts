import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Lock } from '../../../lib/core/api/lock.js';
import { secretIn, signatureOf } from '../../../lib/redis/grant-signature.js';
import { nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisClientSettings, type RedisPoolClient } from '../../support/redis-pool.js';

const ALL = [0, 1, 2, 3, 4];
/** Does not ask again: gets it by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
const MARK = '~waiting';

const NO_SECRET = 'f'.repeat(40);

interface Waiting {
  readonly taking: Promise<Lock>;
  readonly has: () => boolean;
}

/** A client that reads the lines of all nodes and publishes; makes a message of a value, a key and a token. */
type Forger = (...parts: Parts) => string;
type Parts = [value: string, key: string, token: number];

function signed([value, key, token]: Parts, secret: string): string {
  const grant = `${value} ${token} - ${key}`;
  return `${signatureOf(grant, secret)} ${grant}`;
}

describe('a grant that no node has given', () => {
  let pool: RedisPool;
  const clients: RedisPoolClient[] = [];
  let holder: RedisPoolClient;
  let waiter: RedisPoolClient;
  let resource: string;
  let lock: Lock;
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [holder, waiter] = [await client(), await client()];
  });
  beforeEach(async () => {
    resource = pool.resource();
    lock = await holder.redlock.acquire(resource, IN_LINE);
  });
  afterAll(() => pool.stop());

  const client = async (settings: RedisClientSettings = {}): Promise<RedisPoolClient> => {
    const made = await pool.client(settings);
    clients.push(made);
    return made;
  };
  const onAll = (ask: (redis: Redis) => Promise<unknown>): Promise<unknown> =>
    Promise.all(ALL.map((server) => pool.ask(server, ask)));
  const wait = async ({ redlock } = waiter): Promise<Waiting> => {
    let has = false;
    const taking = redlock.acquire(resource, IN_LINE);
    void taking.then(() => (has = true));
    await standing(pool, 1, resource);
    return { taking, has: () => has };
  };
  /** Publishes to the waiter in line on these nodes; resolves when that has been heard. */
  const forge = async (messageOf: Forger, servers = ALL): Promise<void> => {
    const token = (Date.now() + 3_600_000) * 1_000;
    for (const server of servers) {
      await pool.ask(server, async (redis) => {
        const [member] = await redis.zrange(`${resource}~waiters`, 0, '0');
        const [, value, channel] = member!.split(' ');
        expect(await redis.publish(channel!, messageOf(value!, resource, token))).toBe(1);
      });
    }
    // What was published before this is heard before it is answered.
    await Promise.all(clients.map(allDone));
  };
  const secretOn = async (server: number): Promise<string> =>
    secretIn(await pool.ask(server, (redis) => redis.get(MARK)))!;
  /** The lock is really given to its waiter. */
  const releaseOrPass = async ({ taking }: Waiting): Promise<void> => {
    await lock.release();
    const taken = await taking;
    expect(taken.fencingToken).toBeLessThan((Date.now() + 60_000) * 1_000);
    expect(await pool.owners(resource)).toEqual(ALL.map(() => taken.value));
    await taken.release();
    await nothingLeft(pool, resource);
  };

  it.each<[string, Forger]>([
    ['without a signature', (value, key, token) => `${value} ${token} - ${key}`],
    ['with a signature of another secret', (...parts) => signed(parts, NO_SECRET)],
    ['with a signature of no secret', (...parts) => signed(parts, '')],
  ])('gives the lock to nobody, and the hand-off goes on as before: a grant %s', async (_, messageOf) => {
    const waiting = await wait();
    await forge(messageOf);
    expect(waiting.has()).toBe(false);
    expect(await pool.owners(resource)).toEqual(ALL.map(() => lock.value));
    await releaseOrPass(waiting);
  });

  it.each<[string, Forger]>([
    ['without a signature', (value, key, token) => `${value} ${token} - ${key}`],
    ['with a signature of another secret', (...parts) => signed(parts, NO_SECRET)],
  ])('makes no process give back a lock that another one holds: a grant %s', async (_, messageOf) => {
    const waiting = await wait();
    await forge((_value, ...parts) => messageOf(lock.value, ...parts));
    // What it would have sent has been answered by then.
    await Promise.all(clients.map(allDone));
    expect(await pool.owners(resource)).toEqual(ALL.map(() => lock.value));
    await releaseOrPass(waiting);
  });

  it('is not accepted with the secret of another node: each node has a secret of its own', async () => {
    const waiting = await wait();
    const secret = await secretOn(0);
    // The same from all of them, since votes have to agree on a token.
    const token = Date.now() * 1_000;
    await forge((value, key) => signed([value, key, token], secret), [1, 2, 3, 4]);
    expect(waiting.has()).toBe(false);
    await releaseOrPass(waiting);
  });

  it('is not accepted with a token that is an hour ahead, though it is signed', async () => {
    const wary = await client({ trust: { maxTtl: 60_000, restartQuarantine: false } });
    const waiting = await wait(wary);
    for (const server of ALL) {
      const secret = await secretOn(server);
      await forge((...parts) => signed(parts, secret), [server]);
    }
    expect(waiting.has()).toBe(false);
    await releaseOrPass(waiting);
  });

  it('is not what a node gives that lost its secret: the waiter gets the lock by asking', async () => {
    const asking = waiter.redlock.acquire(resource, { ...IN_LINE, retryDelay: 1_000 });
    await standing(pool, 1, resource);
    await onAll((redis) => redis.del(MARK));
    const behind = (await client()).redlock.acquire(resource, IN_LINE);
    await standing(pool, 2, resource);
    await lock.release();
    const taken = await asking;
    expect(await pool.owners(resource)).toEqual(ALL.map(() => taken.value));
    await taken.release();
    await (await behind).release();
    await nothingLeft(pool, resource);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['nodes were emptied', () => onAll((redis) => redis.flushall())],
    ['their marks have expired', () => onAll((redis) => redis.pexpire(MARK, 0))],
    [
      'their marks are those of another process',
      async () => {
        await onAll((redis) => redis.flushall());
        const [other, elsewhere] = [await client(), pool.resource()];
        await holder.redlock.acquire(elsewhere, IN_LINE);
        void other.redlock.acquire(elsewhere, IN_LINE).catch(() => undefined);
        await standing(pool, 1, elsewhere);
      },
    ],
  ])('is told from real ones also after %s', async (_, happen) => {
    await releaseOrPass(await wait());
    await happen();
    lock = await holder.redlock.acquire(resource, IN_LINE);
    const waiting = await wait();
    await forge((...parts) => signed(parts, NO_SECRET));
    expect(waiting.has()).toBe(false);
    await releaseOrPass(waiting);
  });
});
