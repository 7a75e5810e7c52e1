import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectGrowing, FencingWorld } from '../../support/fencing-world.js';

const world = new FencingWorld();
const { clientOf, take, free, proposal, fences, count, raises } = world;
beforeEach(() => world.renew());

const REENTRANT = { reentrant: true };

describe('the fencing token of a lock that is held', () => {
  it('is the same for a lock within the lock', async () => {
    const redlock = clientOf();
    const inner: number[] = [];
    const outer = await world.pool.clock.until(
      redlock.withLock(['a', 'b'], async ({ fencingToken }) => {
        await redlock.withLock('b', (lock) => void inner.push(lock.fencingToken), REENTRANT);
        await redlock.withLock(['a', 'b'], (lock) => void inner.push(lock.fencingToken), REENTRANT);
        return fencingToken;
      }),
    );
    expect(inner).toEqual([outer, outer]);
  });

  it('stays when the lock is extended, by hand or by itself', async () => {
    const lock = await take(clientOf(), 'a', { ttl: 1_000, autoExtend: true });
    const token = lock.fencingToken;
    await world.pool.clock.advance(10_000);
    await world.pool.clock.until(lock.extend());
    expect([lock.isValid, lock.fencingToken]).toEqual([true, token]);
  });

  it('stays when a node is won back that had forgotten everything', async () => {
    const lock = await take(clientOf(), 'a', { ttl: 1_000 });
    const token = lock.fencingToken;
    world.pool.memory[0]!.flush();
    await world.pool.clock.advance(500);
    await world.pool.clock.until(lock.extend());
    await world.pool.clock.advance(1);
    expect(world.pool.owners('a')).toEqual(Array(3).fill(lock.value));
    expect(lock.fencingToken).toBe(token);
    for (const fence of fences()) expect(fence).toBeGreaterThanOrEqual(token);
    await free(lock);
    const next = await take(clientOf({ skew: -4_000, without: [1] }));
    expectGrowing([token, next.fencingToken]);
  });

  it('stays as it is while the lock is held, whatever its voters still say', async () => {
    world.renew(5);
    const start = proposal();
    const ahead = (steps: number): number => start + steps * 1_000;
    [5, 7, 9, 8, 8].forEach((steps, nodeIndex) => count(ahead(steps), [nodeIndex]));
    for (const node of world.pool.nodes) node.faults = { raise: { slow: 20 } };
    for (const node of world.pool.nodes.slice(3)) node.faults = { ...node.faults, acquire: { slow: 5 } };
    const lock = await take(world.pool.client().redlock);
    const token = lock.fencingToken;
    await world.pool.clock.advance(100);
    expect([raises(), lock.fencingToken]).toEqual([[1, 1, 1, 1, 1], token]);
    expect(token).toBeGreaterThan(ahead(7));
  });
});
