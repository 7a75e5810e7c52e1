import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOKENS_PER_VOTE } from '../../../../lib/core/port/fencing.js';
import { IN_LINE, PassingWorld, PATIENT } from '../../../support/passing-world.js';

describe('a lock that passes to the next caller of its process', () => {
  let world: PassingWorld;
  beforeEach(() => void (world = new PassingWorld()));

  it('asks no node, and comes with the next fencing token', async () => {
    const first = await world.take();
    const waiting = world.next();
    expect(await world.goesByNodes(first, waiting)).toBe(false);
    const second = await waiting;
    expect(second.fencingToken).toBe(first.fencingToken + 1);
    expect([second.value, second.validity, world.pool.clock.now().monotonic]).toEqual([first.value, 988, 0]);
  });

  it('no longer belongs to the caller that passed it on, whatever that caller still does', async () => {
    const first = await world.take();
    const waiting = world.next();
    const token = first.fencingToken;
    await world.free(first);
    const second = await world.pool.clock.until(waiting);
    expect([first.isValid, first.validity, first.signal.aborted, first.fencingToken]).toEqual([false, 0, false, token]);
    await expect(world.pool.clock.until(first.extend())).rejects.toThrow('it was released');
    await world.free(first);
    expect([second.isValid, world.pool.owners('a')]).toEqual([true, Array(3).fill(second.value)]);
    await world.free(second);
    expect(world.pool.owners('a')).toEqual(Array(3).fill(undefined));
  });

  it('is told as released before it is told as acquired', async () => {
    const first = await world.take();
    const waiting = world.next();
    await world.pass(3);
    world.events.length = 0;
    await Promise.all([world.free(first), waiting]);
    const told = world.events.filter(({ type }) => type === 'acquired' || type === 'released');
    expect(told).toEqual([
      { type: 'released', resources: ['a'], fencingToken: first.fencingToken, held: 3 },
      {
        type: 'acquired',
        resources: ['a'],
        waited: 3,
        attempts: 1,
        path: 'local',
        fencingToken: first.fencingToken + 1,
      },
    ]);
  });

  it('passes as often as it has tokens, and then the nodes are asked which caller is next', async () => {
    let last = await world.take();
    const others = Array.from({ length: 2 * TOKENS_PER_VOTE }, () => world.next());
    const ways: boolean[] = [];
    for (const waiting of others) {
      ways.push(await world.goesByNodes(last, waiting));
      last = await waiting;
    }
    expect(ways.map((way, index) => (way ? index : -1)).filter((index) => index >= 0)).toEqual([
      TOKENS_PER_VOTE - 1,
      2 * TOKENS_PER_VOTE - 1,
    ]);
  });

  it.each([
    ['a longer ttl', {}, { ttl: 2_000 }],
    ['a shorter ttl', {}, { ttl: 900 }],
    ['another drift factor', {}, { driftFactor: 0.1 }],
    ['the same where the lock is to be kept for a while', { minHold: 5 }, {}],
  ])('does not pass to a caller that asked for %s', async (_, first, second) => {
    const lock = await world.take({ ...PATIENT, ...first });
    const waiting = world.next({ ...PATIENT, ...second });
    await world.pass(6);
    expect(await world.goesByNodes(lock, waiting)).toBe(true);
  });

  it('passes while an extension is under way, except one to a longer ttl', async () => {
    for (const [ttl, byNodes] of [
      [undefined, false],
      [5_000, true],
    ] as const) {
      const first = await world.take();
      const waiting = world.next();
      world.pool.nodes.forEach((node) => (node.faults = { extend: { slow: 3 } }));
      void first.extend(ttl).catch(() => undefined);
      await world.pass(1);
      expect(await world.goesByNodes(first, waiting)).toBe(byNodes);
      await world.pass(3);
      expect(world.pool.owners('a')).toEqual(Array(3).fill((await waiting).value));
      await world.free(await waiting);
      expect(world.pool.owners('a')).toEqual(Array(3).fill(undefined));
    }
  });

  it('passes on what nodes handed over', async () => {
    const first = await world.pool.clock.until(world.pool.client().redlock.acquire('a', IN_LINE));
    const [second, third] = [world.next(IN_LINE), world.next(IN_LINE)];
    await world.pass(1);
    await world.free(first);
    expect(await world.goesByNodes(await world.pool.clock.until(second), third)).toBe(false);
    expect((await third).fencingToken).toBe((await second).fencingToken + 1);
  });

  it('does not pass where it was lost', async () => {
    const first = await world.take({ ...PATIENT, ttl: 50 });
    const waiting = world.next({ ...PATIENT, ttl: 50 });
    world.pool.clock.block(60);
    await world.free(first);
    const second = await world.pool.clock.until(waiting);
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken + 1);
    expect(first.signal.reason).toMatchObject({ message: expect.stringMatching(/its lease ran out/) });
  });

  it('is taken away by a shutdown like any other', async () => {
    const first = await world.take();
    const waiting = world.next();
    await world.free(first);
    const second = await world.pool.clock.until(waiting);
    const { signal } = second;
    await world.pool.clock.until(world.redlock.drain(0));
    expect([signal.aborted, world.pool.owners('a')]).toEqual([true, Array(3).fill(undefined)]);
  });

  it('is extended by itself, and lost in time, as one that the nodes gave', async () => {
    const first = await world.take();
    const waiting = world.next({ ...PATIENT, autoExtend: true });
    await world.free(first);
    const second = await world.pool.clock.until(waiting);
    await world.pass(5_000);
    expect(second.isValid).toBe(true);
    for (const node of world.pool.nodes) node.fail('down');
    await world.pass(1_000);
    expect([second.isValid, second.signal.aborted]).toEqual([false, true]);
  });
});
