import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { eventually } from '../../support/eventually.js';
import { linesOf, nothingLeft, standing } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { ShiftedClock } from '../../support/shifted-clock.js';

/** Does not ask again: gets it by hand-off only. */
const IN_LINE = { retryDelay: 60_000, waitTimeout: 120_000, ttl: 60_000 };

describe('fencing tokens of locks that are handed over', () => {
  let pool: RedisPool;
  let clients: RedisPoolClient[];
  let resource: string;
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    clients = await Promise.all(
      [-2_000, -5_000, 0, -3_000].map((skew) => pool.client({ clock: new ShiftedClock(skew) })),
    );
  });
  beforeEach(() => void (resource = pool.resource()));
  afterAll(() => pool.stop());

  const counters = () => pool.counters(resource);
  /** The tokens of all of these in the order in which they get the lock, each of which gives it back at once. */
  const succession = async (first: Lock, waiting: readonly Promise<Lock>[]): Promise<number[]> => {
    const tokens = [first.fencingToken];
    const turns = waiting.map(async (taking) => {
      const lock = await taking;
      tokens.push(lock.fencingToken);
      await lock.release();
    });
    await first.release();
    await Promise.all(turns);
    return tokens;
  };
  const expectGrowing = (tokens: readonly number[]): void => {
    for (const token of tokens) expect(Number.isSafeInteger(token)).toBe(true);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  };

  it('count on from process to process, whatever their clocks say', async () => {
    const first = await clients[0]!.redlock.acquire(resource, IN_LINE);
    const waiting: Promise<Lock>[] = [];
    for (const { redlock } of clients.slice(1)) {
      waiting.push(redlock.acquire(resource, IN_LINE));
      await standing(pool, waiting.length, resource);
    }
    const tokens = await succession(first, waiting);
    expectGrowing(tokens);
    await Promise.all(clients.map(allDone));
    expect(await counters()).toEqual(Array(5).fill(String(tokens.at(-1)!)));
    await nothingLeft(pool, resource);
  });

  it('grow within a process and across processes', async () => {
    const first = await clients[2]!.redlock.acquire(resource, IN_LINE);
    const waiting = clients.flatMap(({ redlock }) => [1, 2, 3, 4].map(() => redlock.acquire(resource, IN_LINE)));
    await standing(pool, 3, resource);
    const tokens = await succession(first, waiting);
    expect(tokens).toHaveLength(17);
    expectGrowing(tokens);
    await nothingLeft(pool, resource);
  });

  it('grow where a waiter takes over from a holder that died', async () => {
    const first = await clients[2]!.redlock.acquire(resource, { ttl: 300 });
    const polling = { ...IN_LINE, retryDelay: 50, retryJitter: 10 };
    const second = await clients[1]!.redlock.acquire(resource, polling);
    const third = clients[3]!.redlock.acquire(resource, IN_LINE);
    // Where the old lease ended a little later, the second one is still in line, though it has the lock.
    await eventually(async () => {
      const lines = await linesOf(pool, resource);
      expect(lines.filter(({ length }) => length === 0)).toEqual([]);
    });
    expectGrowing([first.fencingToken, ...(await succession(second, [third]))]);
  });

  it('grow where counters were different, or gone, before the hand-over', async () => {
    const first = await clients[0]!.redlock.acquire(resource, IN_LINE);
    const waiting = clients[1]!.redlock.acquire(resource, IN_LINE);
    await standing(pool, 1, resource);
    await pool.count(1, resource, first.fencingToken + 700);
    await pool.count(2, resource, first.fencingToken + 300);
    const second = await succession(first, [waiting]);
    expectGrowing(second);
    expectGrowing([second[1]!, (await clients[3]!.redlock.acquire(resource, IN_LINE)).fencingToken]);
  });

  it('are stored as plain digits', async () => {
    const first = await clients[0]!.redlock.acquire(resource, IN_LINE);
    const waiting = clients[1]!.redlock.acquire(resource, IN_LINE);
    await standing(pool, 1, resource);
    const tokens = await succession(first, [waiting]);
    await allDone(clients[1]!);
    expect(await counters()).toEqual(Array(5).fill(String(tokens[1]!)));
  });

  it('stay the same from the grant to the first extension and after it', async () => {
    const first = await clients[0]!.redlock.acquire(resource, IN_LINE);
    const waiting = clients[1]!.redlock.acquire(resource, { ...IN_LINE, autoExtend: true });
    await standing(pool, 1, resource);
    await first.release();
    const second = await waiting;
    const token = second.fencingToken;
    await second.extend();
    await second.extend();
    expect(second.fencingToken).toBe(token);
    await second.release();
  });
});
