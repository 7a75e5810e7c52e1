import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redlock } from '../../../../../lib/core/redlock.js';
import { MemoryPool } from '../../../../support/memory-pool.js';

/** Ms that nodes may take; callers want to wait for less. */
const NODE_TIMEOUT = 5_000;

describe('a caller that waits behind another caller of its process, which the nodes have not answered yet,', () => {
  let pool: MemoryPool;
  let redlock: Redlock;
  const now = () => pool.clock.now().monotonic;
  const silence = (): void => pool.nodes.forEach((node) => node.fail('silent'));
  const told = (waitTimeout: number, at = now()): Promise<unknown> =>
    redlock.acquire('a', { waitTimeout, ttl: 60_000 }).then(
      () => 'acquired',
      (error: { code: unknown }) => [error.code, now() - at],
    );

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client({ nodeTimeout: NODE_TIMEOUT }));
  });

  it('is told a moment after its waitTimeout that there is no quorum, and not that the resource is locked', async () => {
    silence();
    const [first, second] = [told(2_000), told(700)];
    expect(await pool.clock.until(second)).toEqual(['QUORUM_NOT_REACHED', 750]);
    expect(await pool.clock.until(first)).toEqual(['QUORUM_NOT_REACHED', 2_000]);
  });

  it('is told that the resource is locked if the nodes say so in that moment', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 60_000));
    for (const node of pool.nodes) node.faults = { acquire: { slow: 720 } };
    const [, second] = [told(2_000), told(700)];
    expect(await pool.clock.until(second)).toEqual(['RESOURCE_LOCKED', 750]);
  });

  it('is not told of a holder that stood in the way of an earlier caller', async () => {
    pool.memory.forEach((node) => node.set('a', 'foreign', 300));
    const holder = redlock.acquire('a', { waitTimeout: 2_000, ttl: 60_000 });
    const lock = await pool.clock.until(holder);
    const [, last] = [told(10_000), told(2_000)];
    await pool.clock.advance(100);
    silence();
    void lock.release();
    expect(await pool.clock.until(last)).toEqual(['QUORUM_NOT_REACHED', 2_050]);
  });

  it('gets the lock if the nodes give it to both in that moment', async () => {
    for (const node of pool.nodes) node.faults = { acquire: { slow: 720 } };
    const [first, second] = [redlock.acquire('a', { waitTimeout: 2_000 }), told(700)];
    const lock = await pool.clock.until(first);
    for (const node of pool.nodes) node.fail();
    void lock.release();
    expect(await pool.clock.until(second)).toBe('acquired');
    expect(now()).toBe(720);
  });
});
