import { describe, expect, it } from '@jest/globals';
import { machineTime } from '../../support/child-program.js';
import { nothingLeft } from '../../support/node-lines.js';
import { slotCrew } from '../../support/limit/slot-crew.js';
import type { SlotProcess, Taken } from '../../support/limit/slot-process.js';
import { faultsOfSlots, mostAtOnce } from '../../support/limit/stays.js';

const LIMIT = 3;
const HELD = { limit: LIMIT, ttl: 60_000 };
const SHORT = { limit: LIMIT, ttl: 1_500 };

describe('slots of several processes', () => {
  const { pool, start } = slotCrew(5);

  const holdAll = (members: readonly SlotProcess[], resource: string): Promise<Taken[]> =>
    Promise.all(members.map((member) => member.take('held', { resource, options: HELD })));

  it('are free again after the ttl if their holder is killed, and not earlier', async () => {
    const members = await start(4);
    const resource = pool.resource();
    const [victim, ...others] = members as [SlotProcess, ...SlotProcess[]];
    const taken = await victim.take('held', { resource, options: SHORT });
    await holdAll(others.slice(0, 2), resource);
    await victim.kill();
    const next = await others[2]!.stay({ resource, options: { ...SHORT, waitTimeout: 20_000 }, hold: 1 });
    expect(next.slot).toBe(taken.slot);
    expect(next.from).toBeGreaterThan(taken.until);
    expect(next.from).toBeLessThan(taken.from + SHORT.ttl + 1_500);
    expect(next.token).toBeGreaterThan(taken.token);
    expect(await Promise.all(others.slice(0, 2).map((member) => member.isValid('held')))).toEqual([true, true]);
  });

  it('pass on while the processes of other waiters are killed', async () => {
    const members = await start(4);
    const resource = pool.resource();
    const held = await holdAll(members.slice(0, 3), resource);
    const waiting = { resource, options: { ...SHORT, waitTimeout: 20_000 }, hold: 1 };
    const [dead, alive] = [members[2]!.stay(waiting), members[3]!.stay(waiting)];
    await Promise.all([members[2]!.kill(), expect(dead).rejects.toThrow('DIED')]);
    await members[0]!.release('held');
    const next = await alive;
    expect(next.slot).toBe(held[0]!.slot);
  });
});

describe('slots while one of five nodes is down and one is frozen', () => {
  const { pool, start } = slotCrew(5);

  it('are held by three at once at most, and go on', async () => {
    const members = await start(3, 500);
    const resource = pool.resource();
    const order = { resource, options: { limit: LIMIT, ttl: 3_000, waitTimeout: 60_000 }, hold: 10, workers: 3 };
    const [from, to] = [machineTime(), machineTime() + 4_500];
    const working = members.map((member) => member.work({ ...order, until: to }));
    await pool.servers[1]!.kill();
    await pool.servers[3]!.freeze();
    const broken = machineTime();
    const stays = (await Promise.all(working)).flat();
    const late = stays.filter((stay) => stay.from > broken + 1_000);
    console.log(`${stays.length} sections in ${Math.round(to - from)} ms, ${late.length} after the faults`);
    expect(mostAtOnce(stays)).toBe(LIMIT);
    expect(faultsOfSlots(stays)).toEqual([]);
    expect(late.length).toBeGreaterThan(100);
    expect(mostAtOnce(late)).toBe(LIMIT);
    const full = await Promise.all([0, 1, 2].map((index) => members[index]!.take('held', { resource, options: HELD })));
    expect(new Set(full.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]));
    expect(await members[0]!.tries({ resource, options: HELD })).toBeNull();
    await Promise.all([0, 1, 2].map((index) => members[index]!.release('held')));
    await pool.servers[3]!.thaw();
    await pool.servers[1]!.restart();
    for (const slot of [0, 1, 2]) await nothingLeft(pool, `${resource}~${slot}`);
  });
});
