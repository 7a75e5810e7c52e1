import { describe, expect, it } from '@jest/globals';
import type { Lock } from '../../../../lib/core/api/lock.js';
import { MemoryPool } from '../../../support/memory-pool.js';
import { fixedRandom, SeededRandom } from '../../../support/seeded-random.js';

/** Every rival reaches the nodes in another order, so that the votes are split. */
function rivalsOf(pool: MemoryPool, count: number, seed: number) {
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * pool.nodes.length) / count);
    const nodes = pool.nodes.map((node, place) => {
      const way = (place - from + pool.nodes.length) % pool.nodes.length;
      return new Proxy(node, {
        get: (target, name) => {
          if (name === 'name') return target.name;
          if (name === 'runId') return target.runId;
          if (name === 'clockAhead') return undefined;
          const verb = (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind(target);
          return (...args: unknown[]) => void pool.clock.schedule(way * 0.3, () => verb(...args));
        },
      });
    });
    return pool.client({ nodes, random: new SeededRandom(seed * 100 + index) }).redlock;
  });
}

const winnersOf = (locks: readonly (Lock | null)[]): Lock[] => locks.filter((lock) => lock !== null);

describe('rivals at the same moment', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

  it.each([3, 5])('over %i nodes: of five that try once, exactly one gets the lock', async (size) => {
    for (const seed of seeds) {
      const pool = new MemoryPool(size);
      const tries = rivalsOf(pool, 5, seed).map((rival) => rival.tryAcquire('a'));
      const locks = await pool.clock.until(Promise.all(tries));
      expect({ seed, winners: winnersOf(locks).length }).toEqual({ seed, winners: 1 });
    }
  });

  it.each([2, 4])(
    'over %i nodes, where votes can tie: of two that try once, exactly one gets the lock',
    async (size) => {
      for (const seed of seeds) {
        const pool = new MemoryPool(size);
        const tries = rivalsOf(pool, 2, seed).map((rival) => rival.tryAcquire('a'));
        const locks = await pool.clock.until(Promise.all(tries));
        expect({ seed, winners: winnersOf(locks).length }).toEqual({ seed, winners: 1 });
      }
    },
  );

  it.each([2, 3, 4, 5])('over %i nodes: ten that wait all get their turn, one at a time', async (size) => {
    const pool = new MemoryPool(size);
    let holders = 0;
    let turns = 0;
    const work = async (): Promise<void> => {
      holders += 1;
      expect(holders).toBe(1);
      await pool.clock.sleep(20);
      holders -= 1;
      turns += 1;
    };
    const all = rivalsOf(pool, 10, 1).map((rival) => rival.withLock('a', work, { waitTimeout: 60_000 }));
    await pool.clock.until(Promise.all(all));
    expect(turns).toBe(10);
    await pool.clock.advance(100);
    expect(pool.owners('a')).toEqual(Array(size).fill(undefined));
  });

  it('repeats a split vote at once instead of waiting for retryDelay', async () => {
    const pool = new MemoryPool(3);
    const [first, second, third] = rivalsOf(pool, 3, 1);
    const tries = [first!, second!, third!].map((rival) => rival.tryAcquire('a', { retryDelay: 60_000 }));
    const locks = await pool.clock.until(Promise.all(tries));
    expect(winnersOf(locks)).toHaveLength(1);
    expect(pool.clock.now().monotonic).toBeLessThan(1_000);
  });

  it('repeats a split vote after a short pause also where the process was blocked meanwhile', async () => {
    const pool = new MemoryPool(3);
    for (const node of pool.nodes) node.faults = { acquire: { slow: 5 } };
    pool.memory.forEach((node, index) => node.set('a', `rival-${index}`, 1_000));
    const { redlock } = pool.client({ random: fixedRandom(1) });
    const attempt = pool.endOf(redlock.tryAcquire('a', { ttl: 1_000 }));
    // The questions have arrived, and the answers are on their way.
    await pool.clock.advance(1);
    pool.clock.block(5_000);
    const [outcome, at] = await attempt;
    expect([outcome, pool.nodes[0]!.callsOf('acquire').length]).toEqual(['acquired', 2]);
    // Two timeouts of 50 ms count as the round trip; the five seconds do not.
    expect(at).toBeLessThan(5_000 + 2 * 50 + 100);
  });
});
