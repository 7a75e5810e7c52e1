import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../lib/engine/clock.js';
import { counterOf } from '../../../lib/engine/fencing.js';
import type { Lock } from '../../../lib/engine/lock.js';
import { nothingLeft } from '../../support/node-lines.js';
import { allDone, RedisPool, type RedisPoolClient } from '../../support/redis-pool.js';
import { ShiftedClock } from '../../support/shifted-clock.js';
import { TRUSTING } from '../../support/trust.js';

const YEAR = 365 * 86_400_000;
const LONG = { ttl: 60_000 };

describe('fencing tokens on real nodes', () => {
  let pool: RedisPool;
  let [all, low, high]: RedisPoolClient[] = [];
  let resource: string;

  /** A client that reaches only these nodes; nobody listens at the other addresses. */
  const reaching = (nodeIndexes: readonly number[], clock?: Clock): Promise<RedisPoolClient> =>
    pool.client({
      nodes: pool.urls.map((url, nodeIndex) =>
        nodeIndexes.includes(nodeIndex) ? url : `redis://127.0.0.1:${nodeIndex + 1}`,
      ),
      ...(clock && { clock }),
    });
  beforeAll(async () => {
    pool = await RedisPool.start(5);
    [all, low, high] = [
      await pool.client(),
      await reaching([0, 1, 2]),
      await reaching([2, 3, 4], new ShiftedClock(-5_000)),
    ];
  });
  beforeEach(() => void (resource = pool.resource()));
  afterAll(() => pool.stop());

  const counters = (key = resource) => pool.counters(key);
  const tokenOf = async (taking: Promise<Lock | null>): Promise<number> => {
    const lock = await taking;
    await lock!.release();
    return lock!.fencingToken;
  };
  const expectGrowing = (tokens: readonly number[]): void => {
    for (const token of tokens) expect(Number.isSafeInteger(token)).toBe(true);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  };

  it('are the time of day in microseconds, and what the nodes count', async () => {
    const before = Date.now() * 1_000;
    const lock = await all!.redlock.acquire(resource, LONG);
    await allDone(all!);
    // This process knows the time of the nodes from their latest answers, which may have been on their way for a while.
    expect(lock.fencingToken).toBeGreaterThanOrEqual(before - 1_000_000);
    expect(lock.fencingToken).toBeLessThanOrEqual((Date.now() + 1) * 1_000);
    expect(await counters()).toEqual(Array(5).fill(String(lock.fencingToken)));
    await lock.release();
    await allDone(all!);
    expect(await counters()).toEqual(Array(5).fill(String(lock.fencingToken)));
  });

  it('are stored as plain digits, however they are counted', async () => {
    const others = [resource, pool.resource()];
    const digits = Array(5).fill(expect.stringMatching(/^\d{16}$/));
    await tokenOf(all!.redlock.acquire(resource, LONG));
    // Behind: counted on by one.
    await tokenOf((await reaching([0, 1, 2, 3, 4], new ShiftedClock(-5_000))).redlock.acquire(resource, LONG));
    expect(await counters()).toEqual(digits);
    await tokenOf(all!.redlock.acquire(others, LONG));
    await allDone(all!);
    expect(await counters(others[1])).toEqual(digits);
  });

  it('are so also where nodes are lifted in the same turn as others vote', async () => {
    await pool.count(0, resource, (Date.now() + 0.4 * TRUSTING.maxTtl) * 1_000);
    const [first] = await Promise.all([
      low!.redlock.acquire(resource, { ttl: 300 }),
      ...Array.from({ length: 20 }, async () => {
        const own = pool.resource();
        for (let turn = 0; turn < 5; turn += 1) await tokenOf(low!.redlock.acquire(own, LONG));
      }),
    ]);
    expect(Number((await counters())[1])).toBeGreaterThanOrEqual(first.fencingToken);
    expectGrowing([first.fencingToken, await tokenOf(high!.redlock.acquire(resource, LONG))]);
  });

  it.each([
    ['ahead', 3 * YEAR],
    ['behind', -3 * YEAR],
  ])('go by the clock of the nodes for a client whose own clock is years %s', async (_, skew) => {
    const wrong = await pool.client({ clock: new ShiftedClock(skew) });
    const before = await tokenOf(all!.redlock.acquire(resource, LONG));
    const theirs = await tokenOf(wrong.redlock.acquire(resource, LONG));
    expect(await wrong.redlock.status()).toMatchObject({ quorumReachable: true });
    await nothingLeft(pool, resource);
    const after = await tokenOf(all!.redlock.acquire(resource, LONG));
    expectGrowing([before, theirs, after]);
    expect(after).toBeLessThanOrEqual((Date.now() + 1) * 1_000);
  });

  it('leave no more behind than a table of counters, however many resources were locked', async () => {
    const keys = (server: number): Promise<string[]> => pool.ask(server, (redis) => redis.keys('*'));
    const names = Array.from({ length: 40 }, () => pool.resource());
    await tokenOf(all!.redlock.acquire(names.slice(0, 10), LONG));
    await Promise.all(names.map((name) => tokenOf(all!.redlock.acquire(name, LONG))));
    await all!.redlock.acquire(names[0]!, { ttl: 50 });
    await tokenOf(low!.redlock.acquire(names[0]!, LONG));
    await Promise.all([all!, low!].map(allDone));
    const marks = new Set(['~fence', '~waiting']);
    for (const server of [0, 1, 2]) {
      const left = (await keys(server)).filter((key) => !marks.has(key));
      expect(left.filter((key) => names.some((name) => key.startsWith(`${name}~`) || key === name))).toEqual([]);
      expect(await pool.ask(server, (redis) => redis.pttl('~fence'))).toBe(-1);
    }
  });

  it('of resources that share a counter grow all the same', async () => {
    const twin = twinOf(resource);
    const tokens: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const both = await Promise.all([resource, twin].map((name) => low!.redlock.acquire(name, LONG)));
      tokens.push(both[0]!.fencingToken);
      await Promise.all(both.map((lock) => lock.release()));
      tokens.push(await tokenOf(high!.redlock.acquire(resource, LONG)));
      tokens.push(await tokenOf(high!.redlock.acquire([twin, resource], LONG)));
    }
    expectGrowing(tokens);
  });
});

/** Another resource that is counted by the same counter. */
function twinOf(resource: string): string {
  for (let index = 0; ; index += 1) {
    const twin = `${resource}-twin-${index}`;
    if (counterOf(twin) === counterOf(resource)) return twin;
  }
}
