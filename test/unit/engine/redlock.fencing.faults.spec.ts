import { beforeEach, describe, expect, it } from '@jest/globals';
import { FencingWorld } from '../../support/fencing-world.js';
import { SeededRandom } from '../../support/seeded-random.js';

const world = new FencingWorld();
const { ahead } = world;
beforeEach(() => world.renew());

describe('fencing tokens under faults', () => {
  it.each([3, 4, 5])('grow over %i nodes from each holder to the next', async (size) => {
    let locks = 0;
    for (let seed = 1; seed <= 30; seed += 1) {
      world.renew(size);
      const dice = new SeededRandom(seed);
      const pick = (most: number): number => Math.floor(dice.fraction() * most);
      const held: { token: number; at: number }[] = [];
      const worker = async (skew: number, index: number): Promise<void> => {
        const random = new SeededRandom(seed * 10 + index);
        const { redlock } = world.pool.client({ clock: ahead(skew), random, nodeTimeout: 30 });
        for (let turn = 0; turn < 6; turn += 1) {
          const options = { ttl: 2_000, waitTimeout: pick(3) === 0 ? 0 : 3_000, retryDelay: 50 };
          const lock = await redlock.acquire(pick(4) === 0 ? ['b', 'a'] : 'a', options).catch(() => undefined);
          if (lock) held.push({ token: lock.fencingToken, at: world.pool.clock.now().monotonic });
          await world.pool.clock.sleep(pick(20));
          if (pick(5) > 0) await lock?.release();
        }
      };
      const workers = [0, -3_000, -5_000].map(worker);
      const faults = [
        undefined,
        undefined,
        undefined,
        'silent',
        'lost reply',
        'down',
        { slow: 8 },
        { late: 8 },
      ] as const;
      const weather = world.pool.clock.schedule(0, function change() {
        world.pool.nodes[pick(size)]!.fail(faults[pick(faults.length)]);
        world.pool.clock.schedule(15, change);
      });
      await world.pool.clock.until(Promise.all(workers));
      weather();
      locks += held.length;
      const tokens = held.map(({ token }) => token);
      expect({ seed, tokens }).toEqual({ seed, tokens: [...new Set(tokens)].sort((a, b) => a - b) });
    }
    expect(locks).toBeGreaterThan(200);
  });
});
