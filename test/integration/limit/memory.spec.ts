import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { slotCrew } from '../../support/limit/slot-crew.js';

const GROUPS = 10_000;
const SLOTS = 8;
const TTL = 3_000;
/** One group in so many is not released, but left to expire. */
const ABANDONED = 100;
/** Keys that a node has for itself, and for its clients, however many resources there were. */
const CONSTANT = 5;
const MOST_BYTES = 4e6;

describe('ten thousand resources with eight slots each', () => {
  const { pool, start } = slotCrew(5);

  const sizes = (): Promise<number[]> =>
    Promise.all(pool.servers.map((_, server) => pool.ask(server, (redis) => redis.dbsize())));
  const keys = async (): Promise<string[]> =>
    (await Promise.all(pool.servers.map((_, server) => pool.ask(server, (redis) => redis.keys('group:*'))))).flat();

  it('leave no keys on the nodes once they are released, or their ttl is over', async () => {
    const [member] = await start(1);
    const options = { limit: SLOTS, ttl: TTL, waitTimeout: 20_000 };
    const began = performance.now();
    const filling = member!.fill({ groups: GROUPS, slots: SLOTS, atOnce: 8, abandons: ABANDONED, options });
    expect(await filling).toEqual({ groups: GROUPS });
    const took = Math.round(performance.now() - began);
    const full = await sizes();
    // The last group that was left is held still.
    expect((await keys()).length).toBeGreaterThanOrEqual(SLOTS);
    await eventually(async () => expect(await keys()).toEqual([]), 2 * TTL + 20_000);
    const [empty, names] = [await sizes(), await pool.ask(0, (redis) => redis.keys('*'))];
    console.log(`${GROUPS * SLOTS} locks in ${took} ms; keys: ${full.join(' ')}, then ${names.join(' ')}`);
    expect(Math.max(...empty)).toBeLessThanOrEqual(CONSTANT);
    // One key can hold a lot: the fencing counters are 32,768 at most.
    const usage = (redis: Redis): Promise<unknown[]> =>
      Promise.all(names.map((name) => redis.memory('USAGE', name, 'SAMPLES', 0)));
    const bytes = await pool.ask(0, usage);
    expect(Math.max(...bytes.map(Number))).toBeLessThan(MOST_BYTES);
  }, 240_000);
});
