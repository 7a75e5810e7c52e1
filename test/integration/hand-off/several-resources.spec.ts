import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { eventually } from '../../support/eventually.js';
import { linesOf, nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';

/** Does not ask again: gets it by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };
const POLLING = { retryDelay: 20, retryJitter: 10, waitTimeout: 60_000, ttl: 60_000 };

describe('a lock over several resources beside waiters on one of them', () => {
  let pool: RedisPool;
  let [one, two, three]: RedisPoolClient[] = [];
  let [a, b]: string[] = [];
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [one, two, three] = [await pool.client(), await pool.client(), await pool.client()];
  });
  beforeEach(() => void ([a, b] = [pool.resource(), pool.resource()]));
  afterAll(() => pool.stop());

  const allGone = async (): Promise<void> => {
    await nothingLeft(pool, a);
    await nothingLeft(pool, b);
  };
  const inTurn = async (takings: readonly Promise<Lock>[]): Promise<void> => {
    await Promise.all(
      takings.map(async (taking) => {
        const lock = await taking;
        await turn();
        expect(lock.isValid).toBe(true);
        await lock.release();
      }),
    );
  };

  it('hands each of them to the waiters for it', async () => {
    const lock = await one!.redlock.acquire([a!, b!], { ttl: 60_000 });
    const waiting = [two!.redlock.acquire(a!, IN_LINE), three!.redlock.acquire(b!, IN_LINE)];
    await standing(pool, 1, a!);
    await standing(pool, 1, b!);
    await lock.release();
    await inTurn(waiting);
    await allGone();
  });

  it('comes after the waiters in line', async () => {
    const lock = await one!.redlock.acquire(a!, { ttl: 60_000 });
    const waiting = two!.redlock.acquire(a!, IN_LINE);
    await standing(pool, 1, a!);
    const both = three!.redlock.acquire([b!, a!], POLLING);
    await lock.release();
    const next = await waiting;
    // A caller that cannot have all of several resources does not keep those that are free.
    await inTurn([one!.redlock.acquire(b!, POLLING)]);
    await next.release();
    await inTurn([both]);
    await allGone();
  });

  it('does not take one that is free for a moment, and calls the first in line to it', async () => {
    await one!.redlock.acquire(a!, { ttl: 60_000 });
    const waiting = two!.redlock.acquire(a!, IN_LINE);
    await standing(pool, 1, a!);
    await allDone(one!);
    for (const server of pool.servers.keys()) await pool.ask(server, (redis) => redis.del(a!));
    expect(await three!.redlock.tryAcquire([a!, b!])).toBeNull();
    await inTurn([waiting]);
    await allGone();
  });

  it('is not passed over for ever when a caller always waits for one of them', async () => {
    const state = { ended: false, working: 2 };
    const someoneWaits = (): Promise<void> =>
      eventually(async () => {
        const lines = await linesOf(pool, a!);
        expect(state.working < 2 || lines.every(({ length }) => length > 0)).toBe(true);
      });
    const steady = [one!, two!].map(async ({ redlock }) => {
      for (let section = 0; section < 50 && !state.ended; section += 1) {
        const lock = await redlock.acquire(a!, IN_LINE);
        await someoneWaits();
        await lock.release();
      }
      state.working -= 1;
      return state.ended;
    });
    const both = three!.redlock.acquire([a!, b!], { ...POLLING, retryDelay: 1, retryJitter: 1 });
    const inTime = inTurn([both]).then(() => (state.ended = true));
    const endedInTime = await Promise.all(steady);
    await inTime;
    expect(endedInTime).toEqual([true, true]);
  });

  it('ends in no deadlock, in whatever order they are named', async () => {
    const clients = [one!, two!, three!];
    const takings = Array.from({ length: 30 }, (_, index) => {
      const wanted = [[a!, b!], [b!, a!], a!, b!][index % 4]!;
      return clients[index % 3]!.redlock.acquire(wanted, POLLING);
    });
    await inTurn(takings);
    await allGone();
  });
});
