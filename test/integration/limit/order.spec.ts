import { describe, expect, it } from '@jest/globals';
import { machineTime } from '../../support/child-program.js';
import { eventually } from '../../support/eventually.js';
import { linesOf, standing } from '../../support/node-lines.js';
import { slotCrew } from '../../support/limit/slot-crew.js';
import { faultsOfSlots, mostAtOnce, overtakings } from '../../support/limit/stays.js';

const LIMIT = 3;
const PROCESSES = 4;
const WAITERS = 200;
/** Ms between two arrivals: with less, a process that does not get a processor for a moment is late by several places. */
const APART = 20;
/** Without polling: a waiter has its turn by hand-off only. */
const OPTIONS = { limit: LIMIT, ttl: 60_000, waitTimeout: 120_000, retryDelay: 60_000 };

/** Ms: one that comes so much later may not go first, whatever process it is of. */
const LATER = 60;

describe('waiters of two processes with limit 3', () => {
  const { pool, start } = slotCrew(5);

  it('have the slots in the order of their arrival: a process that had one keeps no place for its later callers', async () => {
    const [members, client] = await Promise.all([start(2), pool.client()]);
    const resource = pool.resource();
    const held = await Promise.all([0, 1, 2].map(() => client.redlock.acquire(resource, OPTIONS)));
    const others = `${resource}~${held[1]!.slot}`;
    const order: number[] = [];
    const takes = [];
    for (const [place, member] of [0, 1, 1, 0].entries()) {
      const since = machineTime();
      const taking = members[member]!.take(String(place), { resource, options: OPTIONS });
      takes.push(taking.then(() => order.push(place)));
      await Promise.all([0, 1, 2].map((slot) => standing(pool, Math.min(place + 1, 2), `${resource}~${slot}`)));
      await eventually(() => expect(machineTime()).toBeGreaterThan(since + LATER));
    }
    const first = async (): Promise<(string | undefined)[]> => (await linesOf(pool, others)).map(([head]) => head);
    const before = await first();
    await held[0]!.release();
    await takes[0];
    // Earlier than by polling. A slot that is released within this moment may still go to the same process.
    await eventually(
      async () => expect((await first()).filter((head, node) => head === before[node])).toEqual([]),
      OPTIONS.ttl / 12 / 2,
    );
    await held[1]!.release();
    await takes[1];
    await held[2]!.release();
    await takes[2];
    await members[0]!.release('0');
    await takes[3];
    expect(order).toEqual([0, 1, 2, 3]);
  });
});

describe('two hundred waiters of four processes with limit 3', () => {
  const { pool, start } = slotCrew(5);

  it('have a slot in the order of their arrival: nobody is overtaken by more than n + 5', async () => {
    const [members, client] = await Promise.all([start(PROCESSES), pool.client()]);
    const resource = pool.resource();
    const held = await Promise.all([0, 1, 2].map(() => client.redlock.acquire(resource, OPTIONS)));
    const first = machineTime() + 200;
    const timesOf = (member: number): number[] =>
      Array.from({ length: WAITERS / PROCESSES }, (_, turn) => first + APART * (turn * PROCESSES + member));
    const arriving = members.map((member, index) =>
      member.arrive({ resource, options: OPTIONS, hold: 5, times: timesOf(index) }),
    );
    await Promise.all([0, 1, 2].map((slot) => standing(pool, PROCESSES, `${resource}~${slot}`)));
    await eventually(() => expect(machineTime()).toBeGreaterThan(first + APART * (WAITERS + 20)));
    await Promise.all(held.map((lock) => lock.release()));
    const stays = (await Promise.all(arriving)).flat();
    const overtaken = overtakings(stays);
    console.log(`overtaken by at most ${Math.max(...overtaken)}, by ${mean(overtaken).toFixed(2)} on average`);
    expect(stays).toHaveLength(WAITERS);
    expect(mostAtOnce(stays)).toBe(LIMIT);
    expect(faultsOfSlots(stays)).toEqual([]);
    expect(overtaken.filter((count) => count > LIMIT + 5)).toEqual([]);
  });
});

function mean(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}
