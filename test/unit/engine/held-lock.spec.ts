import { describe, expect, it } from '@jest/globals';
import { HeldLock } from '../../../lib/engine/held-lock.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('a lock, as its holder sees it', () => {
  it('shows a log its resources and its value, and nothing else', async () => {
    const pool = new MemoryPool();
    const lock = await pool.clock.until(pool.client().redlock.acquire('a'));
    expect(Object.keys(lock)).toEqual(['resources', 'value']);
    expect(JSON.parse(JSON.stringify(lock))).toEqual({ resources: ['a'], value: lock.value });
  });

  it.each([{ resources: ['a'] }, 'lock', 7, null, undefined])('is none of ours if it is a test double: %j', (lock) => {
    expect(HeldLock.of(lock as unknown as HeldLock)).toBeUndefined();
  });
});
