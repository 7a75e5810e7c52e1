import { beforeEach, describe, expect, it } from '@jest/globals';
import { PASSING_WINDOW } from '../../../../lib/core/acquire/callers/cohort.js';
import type { Redlock } from '../../../../lib/core/redlock.js';
import { IN_LINE, PassingWorld } from '../../../support/passing-world.js';

describe('processes that take turns', () => {
  let world: PassingWorld;
  let served: string[];
  beforeEach(() => {
    world = new PassingWorld();
    served = [];
  });

  const come = async (name: string, redlock: Redlock, held = 1): Promise<void> => {
    const lock = await redlock.acquire('a', IN_LINE);
    served.push(name);
    await world.pool.clock.sleep(held);
    await lock.release();
  };

  it.each([
    [
      'together, behind a caller of another process that came a moment after the first of them',
      PASSING_WINDOW - 1,
      ['theirs', 'early', 'late'],
      1,
    ],
    [
      'each in its turn if the first of them came long before that of another process',
      PASSING_WINDOW + 1,
      ['early', 'theirs', 'late'],
      2,
    ],
  ])('serve the callers that came while their process had the lock %s: %i ms', async (_, ms, order, asked) => {
    const first = await world.take(IN_LINE);
    const other = world.pool.client().redlock;
    // Too late to have it from the first one.
    await world.pass(2 * PASSING_WINDOW);
    const callers = [come('early', world.redlock)];
    await world.pass(ms);
    callers.push(come('theirs', other));
    await world.pass(1);
    callers.push(come('late', world.redlock));
    await world.pass(1);
    const before = world.votes;
    await world.free(first);
    await world.pool.clock.until(Promise.all(callers));
    expect([served, world.votes - before]).toEqual([order, asked]);
  });

  it('keep their callers together, whenever the others began', async () => {
    const work = async (name: string, start: number): Promise<void> => {
      const { redlock } = world.pool.client();
      await world.pool.clock.sleep(start);
      const loop = async (): Promise<void> => {
        for (let turn = 0; turn < 12; turn += 1) await come(name, redlock);
      };
      await Promise.all([loop(), loop(), loop(), loop()]);
    };
    await world.pool.clock.until(Promise.all([work('a', 0), work('b', 3), work('c', 8), work('d', 14)]));
    // Once all are there, and until the first of them is through.
    const turns = served
      .join('')
      .slice(32, 160)
      .match(/(.)\1*/g)!;
    expect(new Set(turns.slice(1, -1).map(({ length }) => length))).toEqual(new Set([4]));
  });
});
