import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { slotCrew } from '../../support/limit/slot-crew.js';
import { faultsOfSlots, mostAtOnce, type Stay } from '../../support/limit/stays.js';

const LIMIT = 4;
const READ = { limit: LIMIT, ttl: 5_000, waitTimeout: 60_000 };
const WRITE = { ...READ, take: 'all' as const };

/** Of two stays at once, of which one had all slots, what they were. */
function besides(writer: Stay, others: readonly Stay[]): Stay[] {
  return others.filter((other) => other !== writer && other.from < writer.to && writer.from < other.to);
}

describe("take: 'all' from several processes", () => {
  const { pool, start } = slotCrew(5);

  it('waits for every slot, and keeps later callers out', async () => {
    const [one, two, three] = await start(3);
    const resource = pool.resource();
    await Promise.all(['a', 'b'].map((name) => one!.take(name, { resource, options: READ })));
    const writing = two!.stay({ resource, options: WRITE, hold: 20 });
    // It has the two slots that are free.
    await eventually(async () => expect(await three!.tries({ resource, options: READ })).toBeNull());
    const reading = three!.stay({ resource, options: READ, hold: 1 });
    const ends = [await one!.release('a'), await one!.release('b')].map(({ to }) => to);
    const [writer, reader] = await Promise.all([writing, reading]);
    expect(writer.slot).toBeUndefined();
    expect(writer.from).toBeGreaterThan(Math.max(...ends));
    expect(reader.from).toBeGreaterThan(writer.to);
    expect(reader.token).toBeGreaterThan(writer.token);
  });

  it('has its turn while readers come all the time, and is alone then', async () => {
    const [writing, ...readers] = await start(4);
    const resource = pool.resource();
    const order = { resource, options: READ, hold: 5, workers: 4 };
    const reading = readers.map((member) => member.work(order));
    // All of them are at work when this one has had its turn.
    await writing!.stay({ resource, options: READ, hold: 1 });
    const writers: Stay[] = [];
    for (let turn = 0; turn < 10; turn += 1) writers.push(await writing!.stay({ resource, options: WRITE, hold: 10 }));
    await Promise.all(readers.map((member) => member.stop()));
    const stays = (await Promise.all(reading)).flat();
    const waits = writers.map(({ asked, from }) => Math.round(from - asked));
    const passed = writers.map(
      ({ asked, from }) => stays.filter((stay) => stay.asked > asked && stay.from < from).length,
    );
    console.log(
      `${stays.length} reads, 10 writes; waits ms: ${waits.join(' ')}; readers that passed: ${passed.join(' ')}`,
    );
    expect(writers.flatMap((writer) => besides(writer, [...stays, ...writers]))).toEqual([]);
    expect([mostAtOnce(stays), faultsOfSlots(stays)]).toEqual([LIMIT, []]);
    // Readers that asked later may have a slot before: as many as may overtake any waiter.
    expect(passed.filter((count) => count > LIMIT + 5)).toEqual([]);
  });

  it('has one caller at a time, of several processes, and no deadlock', async () => {
    const members = await start(3);
    const resource = pool.resource();
    const write = (): Promise<Stay>[] => members.map((member) => member.stay({ resource, options: WRITE, hold: 5 }));
    const read = (): Promise<Stay>[] => members.map((member) => member.stay({ resource, options: READ, hold: 5 }));
    const calls = Array.from({ length: 6 }, () => [...write(), ...read()]).flat();
    const stays = await Promise.all(calls);
    const writers = stays.filter(({ slot }) => slot === undefined);
    expect(writers).toHaveLength(18);
    expect(writers.flatMap((writer) => besides(writer, stays))).toEqual([]);
    expect(new Set(writers.map(({ token }) => token)).size).toBe(18);
  });

  it('keeps nothing if it gives up', async () => {
    const [one, two] = await start(2);
    const resource = pool.resource();
    await one!.take('reader', { resource, options: READ });
    const impatient = { ...WRITE, waitTimeout: 300 };
    await expect(two!.stay({ resource, options: impatient, hold: 1 })).rejects.toThrow('RESOURCE_LOCKED');
    const others = Array.from({ length: LIMIT - 1 }, (_, index) =>
      two!.take(`reader-${index}`, { resource, options: { ...READ, waitTimeout: 2_000 } }),
    );
    await expect(Promise.all(others)).resolves.toHaveLength(LIMIT - 1);
    await one!.release('reader');
    expect(await one!.tries({ resource, options: WRITE })).toBeNull();
  });
});
