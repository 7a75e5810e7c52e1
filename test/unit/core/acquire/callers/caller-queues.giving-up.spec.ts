import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../../../lib/core/api/events.js';
import type { Lock } from '../../../../../lib/core/api/lock.js';
import { MemoryPool } from '../../../../support/memory-pool.js';

describe('a holder that releases its lock in a listener of `contended`', () => {
  let pool: MemoryPool;
  let held: Lock | undefined;
  const listener = ({ type }: LockEvent): void => {
    if (type === 'contended') void held?.release();
  };

  beforeEach(() => {
    pool = new MemoryPool();
    held = undefined;
  });

  it.each([
    ['one resource', 'a' as const],
    ['several resources', ['a', 'b'] as const],
  ])('makes way for the caller of its process that wants %s, and for those behind it', async (_, resource) => {
    const { redlock } = pool.client({ listener });
    held = await pool.clock.until(redlock.acquire('a', { ttl: 20_000 }));
    const second = await pool.clock.until(redlock.acquire(resource, { waitTimeout: Infinity }));
    expect(second.isValid).toBe(true);
    const third = redlock.acquire('a', { waitTimeout: 1_000 });
    await pool.clock.advance(10);
    await second.release();
    await expect(pool.clock.until(third)).resolves.toMatchObject({ isValid: true });
  });
});
