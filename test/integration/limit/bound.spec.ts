import { describe, expect, it } from '@jest/globals';
import { machineTime } from '../../support/child-program.js';
import { nothingLeft } from '../../support/node-lines.js';
import { slotCrew } from '../../support/limit/slot-crew.js';
import { faultsOfSlots, meanAtOnce, mostAtOnce } from '../../support/limit/stays.js';

const LIMIT = 3;
const WORKERS = 4;
/** Ms. */
const LENGTH = 8_000;
const OPTIONS = { limit: LIMIT, ttl: 5_000, waitTimeout: 60_000 };

describe('sixteen workers of four processes with limit 3', () => {
  const { pool, start } = slotCrew(5);

  it('are three at once at most, one for each slot, and seldom fewer', async () => {
    const members = await start(4);
    const resource = pool.resource();
    const from = machineTime();
    const to = from + LENGTH;
    const order = { resource, options: OPTIONS, hold: 20, workers: WORKERS, until: to };
    const stays = (await Promise.all(members.map((member) => member.work(order)))).flat();
    const mean = meanAtOnce(stays, { from: from + 500, to });
    console.log(`${stays.length} sections, ${mean.toFixed(2)} of ${LIMIT} at once on average`);
    expect(mostAtOnce(stays)).toBe(LIMIT);
    expect(faultsOfSlots(stays)).toEqual([]);
    expect(new Set(stays.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]));
    expect(mean).toBeGreaterThanOrEqual(2.4);
    await Promise.all([0, 1, 2].map((slot) => nothingLeft(pool, `${resource}~${slot}`)));
  });
});
