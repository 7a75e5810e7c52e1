import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/core/api/lock.js';
import type { Redlock } from '../../../lib/core/redlock.js';
import { FencingWorld } from '../../support/fencing-world.js';

/** Gets what is held by hand-off only. */
const IN_LINE = { retryDelay: 60_000, retryJitter: 0, waitTimeout: 600_000 };

const world = new FencingWorld();
const { take, free, proposal, fences, raises, count } = world;
beforeEach(() => world.renew());

describe('the release of a lock', () => {
  const gone = async (lock: Lock): Promise<void> => {
    await free(lock);
    await world.pool.clock.advance(1);
  };

  it('lifts the counters of all nodes when one was held by another claim', async () => {
    world.pool.memory[2]!.set('a', 'foreign', 60_000);
    const lock = await take(world.pool.client().redlock);
    await gone(lock);
    expect([raises(), fences()]).toEqual([[1, 1, 1], Array(3).fill(lock.fencingToken)]);
  });

  it('lifts them where one had another counter, also if that answered late', async () => {
    count(proposal() - 5, [0, 1, 2]);
    count(proposal() + 5, [2]);
    world.pool.nodes[2]!.faults = { acquire: { slow: 3 } };
    const lock = await take(world.pool.client({ nodeTimeout: 50 }).redlock);
    await world.pool.clock.advance(5);
    await gone(lock);
    expect(raises()).toEqual([1, 1, 1]);
  });

  describe.each([
    ['tryAcquire', (redlock: Redlock) => redlock.tryAcquire('a')],
    ['acquire', (redlock: Redlock) => redlock.acquire('a')],
  ])('after a token that did not stand at once, by %s', (_, way) => {
    it('lifts them where the last one is known, later, to be behind', async () => {
      count(proposal() + 5, [1, 2]);
      count(proposal() + 7, [2]);
      world.pool.nodes[0]!.faults = { acquire: { slow: 3 } };
      const lock = (await world.pool.clock.until<Lock | null>(way(world.pool.client({ nodeTimeout: 50 }).redlock)))!;
      await world.pool.clock.advance(5);
      expect(fences()).toEqual([lock.fencingToken - 8, lock.fencingToken, lock.fencingToken]);
      await gone(lock);
      expect(fences()).toEqual(Array(3).fill(lock.fencingToken));
    });

    it('lifts them when one of them is held by another claim', async () => {
      world.renew(5);
      count(proposal() + 5, [1]);
      world.pool.memory[0]!.set('a', 'foreign', 60_000);
      world.pool.nodes[4]!.fail('silent');
      const lock = (await world.pool.clock.until<Lock | null>(way(world.pool.client().redlock)))!;
      await gone(lock);
      expect(fences().slice(0, 4)).toEqual(Array(4).fill(lock.fencingToken));
    });
  });

  it('lifts those of all its resources', async () => {
    world.pool.memory[2]!.set('b', 'foreign', 60_000);
    const lock = await take(world.pool.client().redlock, ['a', 'b']);
    await gone(lock);
    expect([...fences('a'), ...fences('b')]).toEqual(Array(6).fill(lock.fencingToken));
  });

  it('makes the counters agree again, so that the next one pays nothing', async () => {
    count(proposal() + 5, [2]);
    world.pool.nodes[0]!.faults = { acquire: 'silent' };
    const { redlock } = world.pool.client();
    await gone(await take(redlock));
    world.pool.nodes[0]!.fail();
    const before = raises();
    await gone(await take(redlock));
    expect(raises()).toEqual(before);
    expect(new Set(fences()).size).toBe(1);
  });

  it.each([
    ['all nodes agree', () => undefined],
    ['one has not answered', () => world.pool.nodes[2]!.fail('silent')],
    ['one answers late, and agrees', () => (world.pool.nodes[2]!.faults = { acquire: { slow: 3 } })],
  ])('lifts nothing where %s', async (_, condition) => {
    condition();
    const lock = await take(world.pool.client({ nodeTimeout: 50 }).redlock);
    await world.pool.clock.advance(5);
    await gone(lock);
    expect(raises()).toEqual([0, 0, 0]);
  });

  it('lifts nothing where the nodes handed the lock over, and the last of them a little later', async () => {
    const [one, two] = [world.pool.client().redlock, world.pool.client().redlock];
    const first = await take(one);
    const waiting = two.acquire('a', IN_LINE);
    await world.pool.clock.advance(1);
    world.pool.nodes[2]!.faults = { grant: { slow: 1 } };
    await free(first);
    const second = await world.pool.clock.until(waiting);
    await world.pool.clock.advance(5);
    await gone(second);
    expect(raises()).toEqual([0, 0, 0]);
  });
});
