import { describe, expect, it } from '@jest/globals';
import { machineTime } from '../../support/child-program.js';
import { nothingLeft } from '../../support/node-lines.js';
import { slotCrew } from '../../support/limit/slot-crew.js';
import type { SlotProcess, Wish } from '../../support/limit/slot-process.js';
import { faultsOfSlots, meanAtOnce, mostAtOnce, type Stay } from '../../support/limit/stays.js';

const LIMIT = 3;
const OPTIONS = { ttl: 5_000, waitTimeout: 60_000 };
/** Ms of one turn of work, and how many turns each of the two ways has. */
const LENGTH = 2_500;
const TURNS = 2;

interface Turn {
  readonly stays: readonly Stay[];
  readonly mean: number;
}

/** Each process works on these wishes at the same time, with so many workers for each. */
async function turnOf(members: readonly SlotProcess[], wishes: readonly (Wish & { workers: number })[]): Promise<Turn> {
  const from = machineTime();
  const until = from + LENGTH;
  const work = members.flatMap((member) => wishes.map((wish) => member.work({ ...wish, hold: 20, until })));
  const stays = (await Promise.all(work)).flat();
  return { stays, mean: meanAtOnce(stays, { from: from + 300, to: until }) };
}

const average = (turns: readonly Turn[]): number => turns.reduce((sum, { mean }) => sum + mean, 0) / turns.length;

describe('sixteen workers of four processes with limit 3', () => {
  const { pool, start } = slotCrew(5);

  it('are three at once at most, one for each slot, and about as often as with three plain locks', async () => {
    const members = await start(4);
    const resource = pool.resource();
    const limited = [{ resource, options: { ...OPTIONS, limit: LIMIT }, workers: 4 }];
    const plain = [1, 1, 2].map((workers) => ({ resource: pool.resource(), options: OPTIONS, workers }));
    const [ofLimit, ofPlain]: [Turn[], Turn[]] = [[], []];
    // By turns, so that both meet the same load of the machine.
    for (let turn = 0; turn < TURNS; turn += 1) {
      ofLimit.push(await turnOf(members, limited));
      ofPlain.push(await turnOf(members, plain));
    }
    const stays = ofLimit.flatMap((turn) => turn.stays);
    const [mean, ofThree] = [average(ofLimit), average(ofPlain)];
    console.log(`${mean.toFixed(2)} of ${LIMIT} at once on average, ${ofThree.toFixed(2)} with three plain locks`);
    expect(mostAtOnce(stays)).toBe(LIMIT);
    expect(faultsOfSlots(stays)).toEqual([]);
    expect(new Set(stays.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]));
    expect(mean / ofThree).toBeGreaterThanOrEqual(0.9);
    await Promise.all([0, 1, 2].map((slot) => nothingLeft(pool, `${resource}~${slot}`)));
  });
});
