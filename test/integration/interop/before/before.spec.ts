import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import type { Redlock } from '../../../../lib/engine/redlock.js';
import { RedisPool } from '../../../support/redis-pool.js';
import { poolOf } from './before.mjs';

type Client = Pick<Redlock, 'acquire' | 'tryAcquire'>;

const MAX_TTL = 5_000;
const TTL = { ttl: 2_000 };
const TURNS = 40;

/** During a rolling deploy, processes of both versions ask the same nodes for the same locks. */
describe('the version before this one, on the same nodes', () => {
  let pool: RedisPool;
  let before: readonly ReturnType<typeof poolOf>[];
  let now: readonly Client[];

  beforeAll(async () => {
    pool = await RedisPool.start(3);
    before = [poolOf(pool.urls, MAX_TTL), poolOf(pool.urls, MAX_TTL)];
    await Promise.all(before.map((client) => client.open()));
    const trust = { maxTtl: MAX_TTL, restartQuarantine: false };
    const clients = [pool.client({ keyPrefix: 'lock:', trust }), pool.client({ keyPrefix: 'lock:', trust })];
    now = (await Promise.all(clients)).map(({ redlock }) => redlock);
  });

  afterAll(async () => {
    await Promise.all(before.map((client) => client.close()));
    await pool.stop();
  });

  it.each(['before', 'now'] as const)(
    'is kept out by a holder, and gets the lock after it: %s first',
    async (first) => {
      const [holder, other] = first === 'before' ? [before[0]!, now[0]!] : [now[0]!, before[0]!];
      const resource = pool.resource();
      const lock = await holder.acquire(resource, TTL);
      expect(await other.tryAcquire(resource, TTL)).toBeNull();
      const waiting = other.acquire(resource, TTL);
      await lock.release();
      await (await waiting).release();
    },
  );

  it('takes turns with it: one holder at a time, and each has a greater token than the one before', async () => {
    const resource = pool.resource();
    let [inside, most] = [0, 0];
    const tokens: number[] = [];
    const work = async (client: Client): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const lock = await client.acquire(resource, { ...TTL, waitTimeout: 60_000 });
        inside += 1;
        most = Math.max(most, inside);
        await setImmediate();
        inside -= 1;
        tokens.push(lock.fencingToken);
        await lock.release();
      }
    };
    await Promise.all([...before, ...now].map(work));
    expect(most).toBe(1);
    expect(tokens).toHaveLength(4 * TURNS);
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  }, 120_000);

  it('leaves nothing on the nodes that stays, but for the counters of fencing tokens', async () => {
    const keys = await pool.ask(0, async (redis) => {
      const found = await redis.keys('*');
      return Promise.all(found.map(async (key) => ((await redis.pttl(key)) > 0 ? [] : [key])));
    });
    expect(keys.flat().toSorted()).toEqual(['lock:~fence']);
  });
});
