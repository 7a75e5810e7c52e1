import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../lib/core/api/lock.js';
import type { Redlock } from '../../../lib/core/redlock.js';
import { FencingWorld } from '../../support/fencing-world.js';

/** Gets what is held by hand-off only. */
const IN_LINE = { retryDelay: 60_000, retryJitter: 0, waitTimeout: 600_000 };

const world = new FencingWorld();
const { ahead, take, free, proposal, fences, raises, count } = world;
beforeEach(() => world.renew());

describe('the cost of a fencing token', () => {
  const rounds = (verb: 'acquire' | 'raise', node = 0): number => world.pool.nodes[node]!.callsOf(verb).length;

  it.each([
    ['acquire', (redlock: Redlock) => redlock.acquire('a')],
    ['tryAcquire', (redlock: Redlock) => redlock.tryAcquire('a')],
    ['acquire of several', (redlock: Redlock) => redlock.acquire(['a', 'b'])],
  ])('is nothing in the usual case, by %s: one question to each node', async (_, way) => {
    const { redlock } = world.pool.client();
    for (let turn = 1; turn <= 5; turn += 1) {
      await free((await world.pool.clock.until<Lock | null>(way(redlock)))!);
      expect([rounds('acquire'), raises()]).toEqual([turn, [0, 0, 0]]);
    }
  });

  it('is nothing either where clocks disagree, or a node is silent or ahead but not needed', async () => {
    const [one, two] = [world.pool.client(), world.pool.client({ clock: ahead(-5_000) })];
    world.pool.nodes[2]!.fail('silent');
    await free(await take(one.redlock));
    await free(await take(two.redlock));
    await free(await take(one.redlock));
    expect(raises()).toEqual([0, 0, 0]);
  });

  it('is nothing where a process hands the lock on within itself', async () => {
    const { redlock } = world.pool.client();
    await world.pool.clock.until(Promise.all(Array.from({ length: 5 }, () => redlock.withLock('a', () => undefined))));
    expect(raises()).toEqual([0, 0, 0]);
  });

  it('is nothing where nodes hand the lock to another process', async () => {
    const [one, two] = [world.pool.client().redlock, world.pool.client().redlock];
    const first = await take(one);
    const waiting = two.acquire('a', IN_LINE);
    await world.pool.clock.advance(1);
    await free(first);
    await free(await world.pool.clock.until(waiting));
    expect([rounds('acquire'), raises()]).toEqual([2, [0, 0, 0]]);
  });

  describe.each([
    ['acquire', (redlock: Redlock) => redlock.acquire('a', { waitTimeout: 40 })],
    ['tryAcquire', (redlock: Redlock) => redlock.tryAcquire('a')],
    ['acquire of several', (redlock: Redlock) => redlock.acquire(['a', 'b'], { waitTimeout: 0 })],
  ])('where counters differ, by %s', (_, way) => {
    let now: number;
    const lockBy = (): Promise<Lock | null> =>
      world.pool.clock.until<Lock | null>(way(world.pool.client({ nodeTimeout: 50 }).redlock));
    beforeEach(() => void (now = proposal()));

    it('is one more round to the nodes that are behind', async () => {
      count(now + 5, [2]);
      world.pool.nodes[0]!.fail('silent');
      const lock = await lockBy();
      expect(lock!.fencingToken).toBe(now + 6);
      expect([rounds('acquire', 1), raises()]).toEqual([1, [0, 1, 0]]);
      expect(fences().slice(1)).toEqual([now + 6, now + 6]);
      // A node that has not answered yet might have made the round unnecessary.
      expect(world.pool.clock.now().monotonic).toBe(1);
    });

    it('is that round at once when all nodes have answered', async () => {
      count(now + 5, [2]);
      world.pool.nodes[0]!.fail('down');
      expect((await lockBy())!.fencingToken).toBe(now + 6);
      expect([raises(), world.pool.clock.now().monotonic]).toEqual([[0, 1, 0], 0]);
    });

    it('is no round where the answer that makes it unnecessary is on its way', async () => {
      count(now + 5, [2]);
      world.pool.nodes[0]!.faults = { acquire: { slow: 0.5 } };
      const lock = await lockBy();
      expect([lock!.fencingToken, raises(), world.pool.clock.now().monotonic]).toEqual([now, [0, 0, 0], 0.5]);
    });

    it('is to wait for a further answer, if that comes first', async () => {
      count(now + 5, [2]);
      world.pool.nodes[0]!.faults = { acquire: { slow: 3 } };
      world.pool.nodes[1]!.faults = { raise: { slow: 10 } };
      const lock = await lockBy();
      expect([lock!.fencingToken, world.pool.clock.now().monotonic]).toEqual([now, 3]);
    });

    it.each([0, 1, 2])(
      'is no wait where all answer at once, and one of them is ahead: the one at %i',
      async (nodeIndex) => {
        count(now + 5, [nodeIndex]);
        const lock = await lockBy();
        expect([now, now + 6]).toContain(lock!.fencingToken);
        expect(world.pool.clock.now().monotonic).toBe(0);
      },
    );

    it.each(['silent', 'down', 'broken', 'lost reply'] as const)(
      'is the lock where that fails: %s; what was taken is given back',
      async (fault) => {
        count(now + 5, [2]);
        world.pool.nodes[0]!.fail('down');
        world.pool.nodes[1]!.faults = { raise: fault };
        await expect(lockBy()).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
        await world.pool.clock.advance(1);
        expect([world.pool.owners('a'), world.pool.owners('b')]).toEqual([
          Array(3).fill(undefined),
          Array(3).fill(undefined),
        ]);
        expect(world.pool.memory.map((node) => node.waiting('a'))).toEqual([[], [], []]);
      },
    );

    it('says that no token was agreed on, and what the nodes said', async () => {
      count(now + 5, [2]);
      world.pool.nodes[0]!.fail('down');
      world.pool.nodes[1]!.faults = { raise: 'silent' };
      await expect(lockBy()).rejects.toMatchObject({
        message: expect.stringMatching(/too few nodes agreed on a fencing token in time/),
        nodes: [{ outcome: 'unknown' }, { outcome: 'granted' }, { outcome: 'granted' }],
      });
    });
  });

  it('is not the lock for a waiter: if a node that voted dies, the waiter asks the nodes that are back', async () => {
    count(proposal() + 5, [2]);
    world.pool.nodes[0]!.fail('down');
    world.pool.nodes[1]!.faults = { raise: 'silent' };
    world.pool.clock.schedule(1, () => world.pool.nodes[1]!.fail('down'));
    world.pool.clock.schedule(2, () => world.pool.nodes[0]!.fail());
    const lock = await take(world.pool.client({ nodeTimeout: 20 }).redlock, 'a', { ttl: 30_000, waitTimeout: 10_000 });
    expect(lock.isValid).toBe(true);
    expect(world.pool.clock.now().monotonic).toBeLessThan(1_000);
  });

  it('is a raise that counts only as long as the node still has the lock', async () => {
    count(proposal() + 5, [2]);
    world.pool.nodes[0]!.fail('down');
    world.pool.nodes[1]!.faults = { raise: { late: 5 } };
    const taking = world.pool.client({ nodeTimeout: 50 }).redlock.tryAcquire('a');
    world.pool.clock.schedule(2, () => world.pool.memory[1]!.flush());
    await expect(world.pool.clock.until(taking)).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
  });
});
