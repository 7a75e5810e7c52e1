import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redlock } from '../../../lib/engine/redlock.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('a lock that was extended for a shorter time than before, which the nodes do not shorten', () => {
  let pool: MemoryPool;
  let redlock: Redlock;

  beforeEach(() => {
    pool = new MemoryPool();
    ({ redlock } = pool.client());
  });

  it('owes its release for as long as the nodes keep the longer lease', async () => {
    const lock = (await pool.clock.until(redlock.tryAcquire('a', { ttl: 20_000 })))!;
    await pool.clock.until(lock.extend(500));
    const asked = pool.nodes.map((node) => node.callsOf('release').length);
    await pool.clock.until(lock.release());
    expect(
      pool.nodes.map((node, index) =>
        node
          .callsOf('release')
          .slice(asked[index])
          .map(({ ttl }) => ttl),
      ),
    ).toEqual([[20_000], [20_000], [20_000]]);
  });
});
