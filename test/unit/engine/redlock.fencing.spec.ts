import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/engine/lock.js';
import { expectGrowing, FencingWorld } from '../../support/fencing-world.js';

/** Gets what is held by hand-off only. */
const IN_LINE = { retryDelay: 60_000, retryJitter: 0, waitTimeout: 600_000 };

const world = new FencingWorld();
const { clientOf, take, free, proposal, fences, count } = world;
beforeEach(() => world.renew());

describe('a fencing token', () => {
  it('is the time of day in microseconds where nobody has had the resource', async () => {
    const lock = await take(clientOf());
    expect(lock.fencingToken).toBe(proposal());
    expect(Number.isSafeInteger(lock.fencingToken)).toBe(true);
    expect(JSON.parse(JSON.stringify({ token: lock.fencingToken }))).toEqual({ token: lock.fencingToken });
  });

  it('grows with every lock that is taken in the same ms, however it is taken', async () => {
    const redlock = clientOf();
    const tokens: number[] = [];
    const ways: (() => Promise<Lock | null>)[] = [
      () => redlock.acquire('a'),
      () => redlock.tryAcquire('a'),
      () => redlock.acquire(['a', 'b']),
      () => redlock.tryAcquire(['b', 'a']),
    ];
    for (const way of [...ways, ...ways]) {
      const lock = (await world.pool.clock.until(way()))!;
      tokens.push(lock.fencingToken);
      await free(lock);
      await world.pool.clock.until(redlock.withLock('a', ({ fencingToken }) => void tokens.push(fencingToken)));
    }
    expect(world.pool.clock.now().monotonic).toBe(0);
    expect(tokens).toEqual(tokens.map((_, index) => proposal() + index));
  });

  it('of several resources is greater than those of all earlier holders of each of them', async () => {
    const redlock = clientOf();
    const tokens: Record<string, number> = {};
    for (const [name, resources] of Object.entries({ a: 'a', a2: 'a', b: 'b', ab: ['a', 'b'], b2: 'b', a3: 'a' })) {
      const lock = await take(redlock, resources);
      tokens[name] = lock.fencingToken - proposal();
      await free(lock);
    }
    expect(tokens).toEqual({ a: 0, a2: 1, b: 0, ab: 2, b2: 3, a3: 3 });
  });

  it.each([0, -4_000, 4_000])(
    'grows after the lock of a dead holder, also where clocks are %i ms apart',
    async (skew) => {
      const first = await take(clientOf(), 'a', { ttl: 100 });
      await world.pool.clock.advance(100);
      const second = await take(clientOf({ skew }));
      expectGrowing([first.fencingToken, second.fencingToken]);
    },
  );

  it('grows with the waiters of one process', async () => {
    const redlock = clientOf();
    const first = await take(redlock);
    const waiting = Array.from({ length: 5 }, () => redlock.acquire('a', IN_LINE));
    const tokens = [first.fencingToken];
    let last = first;
    for (const next of waiting) {
      await free(last);
      last = await world.pool.clock.until(next);
      tokens.push(last.fencingToken);
    }
    expect(tokens).toEqual(tokens.map((_, index) => first.fencingToken + index));
  });

  it.each([
    ['agree', [0, 0, 0, 0]],
    ['are ever further behind', [0, -1_000, -2_000, -5_000]],
    ['are ever further ahead', [-5_000, -4_000, -3_000, 0]],
    ['disagree by seconds', [0, -6_000, -2_000, -4_000]],
  ])('grows with waiters in several processes whose clocks %s', async (_, skews) => {
    const first = await take(clientOf({ skew: skews[0]! }));
    const waiting: Promise<Lock>[] = [];
    for (const skew of skews.slice(1)) {
      waiting.push(clientOf({ skew }).acquire('a', IN_LINE));
      await world.pool.clock.advance(1);
    }
    const tokens = [first.fencingToken];
    await free(first);
    while (tokens.length < skews.length) {
      const [lock, index] = await world.pool.clock.until(
        Promise.race(waiting.map(async (taking, at) => [await taking, at] as const)),
      );
      tokens.push(lock.fencingToken);
      void waiting.splice(index, 1);
      await free(lock);
    }
    expectGrowing(tokens);
    expect(world.pool.clock.now().monotonic).toBeLessThan(1_000);
  });

  it.each([0, -5_000])('grows over whatever nodes two holders reach, clocks %i ms apart', async (skew) => {
    const pairs = [0, 1, 2, 3, 4].flatMap((a) => [0, 1, 2, 3, 4].filter((b) => b > a).map((b) => [a, b]));
    for (const lacking of pairs) {
      for (const other of pairs) {
        world.renew(5);
        const first = await take(clientOf({ without: lacking }));
        await free(first);
        const options = { waitTimeout: pairs.indexOf(other) % 2 === 0 ? 0 : 5_000 };
        const second = await take(clientOf({ skew, without: other }), 'a', options);
        const third = [second.fencingToken];
        await free(second);
        third.push((await take(clientOf({ skew: 2 * skew, without: lacking }), ['b', 'a'])).fencingToken);
        expectGrowing([first.fencingToken, ...third]);
      }
    }
  });

  it('grows over different nodes of which one was far ahead', async () => {
    world.renew(5);
    const ahead = proposal() + 10_000_000;
    count(ahead, [0]);
    const first = await take(clientOf({ without: [3, 4] }));
    expect(first.fencingToken).toBe(ahead + 1);
    await free(first);
    const second = await take(clientOf({ without: [0, 1] }));
    expectGrowing([first.fencingToken, second.fencingToken]);
  });

  it('goes on growing for a lock that was held for hours', async () => {
    const lock = await take(clientOf({ skew: 4_000 }), 'a', { ttl: 10_000, autoExtend: true, maxHold: Infinity });
    for (let hour = 0; hour < 6; hour += 1) await world.pool.clock.advance(3_600_000);
    expect(lock.isValid).toBe(true);
    const waiting = clientOf({ skew: -4_000 }).acquire('a', IN_LINE);
    await world.pool.clock.advance(1);
    await free(lock);
    expectGrowing([lock.fencingToken, (await world.pool.clock.until(waiting)).fencingToken]);
  });

  it.each([-1_000, -4_990_000])('goes on growing where all clocks were set back by %i ms meanwhile', async (step) => {
    const first = await take(clientOf());
    await free(first);
    world.pool.clock.stepWall(step);
    expect(fences()).toEqual(Array(3).fill(first.fencingToken));
    expectGrowing([first.fencingToken, (await take(clientOf())).fencingToken]);
  });

  it('is given to nobody until the clocks have caught up after they were set back by more than half of maxTtl', async () => {
    const first = await take(clientOf());
    await free(first);
    world.pool.clock.stepWall(-6_000_000);
    await expect(take(clientOf(), 'a', { waitTimeout: 0 })).rejects.toMatchObject({
      code: 'QUORUM_NOT_REACHED',
      message: expect.stringMatching(/its clock is more than maxTtl \/ 2 from .* its fencing tokens/),
    });
    await world.pool.clock.advance(1_000_001);
    expect((await take(clientOf())).fencingToken).toBe(first.fencingToken + 1);
  });
});
