import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RedisPool } from '../../support/redis-pool.js';
import { serverPrograms } from '../../support/redis-server.js';
import { grantRights, rightsInDocs } from '../../support/rights.js';

const KEY_PREFIX = 'lock:';
/** Asks again so late that only a grant could come before. */
const PATIENT = { waitTimeout: 20_000, retryDelay: 3_000, retryJitter: 0, ttl: 10_000 };
const HASTY = { ...PATIENT, waitTimeout: 1_200, retryDelay: 100 };

describe.each(serverPrograms())('on %s, a client whose user may not write what a grant needs', (program) => {
  let pool: RedisPool;
  beforeAll(async () => {
    pool = await RedisPool.start(1, { program });
  });
  afterAll(() => pool.stop());

  it.each(['+hset', '+set'])('tells no waiter of a grant that does not exist: without %s', async (right) => {
    const rights = rightsInDocs().filter((word) => word !== right);
    const [sound, flawed] = [
      await pool.client({ keyPrefix: KEY_PREFIX }),
      await pool.client({ keyPrefix: KEY_PREFIX, nodes: await grantRights(pool, rights) }),
    ];
    const resource = pool.resource();
    const key = KEY_PREFIX + resource;
    await pool.plant(0, key, { ttl: 600 });
    const waiting = sound.redlock.acquire(resource, PATIENT);
    const inLine = (count: number): Promise<void> =>
      eventually(async () => expect(await pool.ask(0, (redis) => redis.zcard(`${key}~queue`))).toBe(count));
    await inLine(1);
    // Once the key has ended, each of its commands serves the line.
    const refused = flawed.redlock.acquire(resource, HASTY).catch((error: unknown) => error);
    const lock = await waiting;
    expect(await pool.ask(0, (redis) => redis.get(key))).toBe(lock.value);
    expect(await refused).toBeInstanceOf(Error);
    await lock.release();
  });
});
