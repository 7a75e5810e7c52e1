import { describe, expect, it } from '@jest/globals';
import { Dice } from '../dice.js';
import type { Stage } from '../stage/stage.js';
import type { Nemesis } from './nemesis.js';
import { Schedule } from './schedule.js';
import { NEMESES } from './table.js';

const STAGE = {} as Stage;

describe('Schedule', () => {
  it('never strikes one thing twice at a time, and heals all in the end', async () => {
    const active = new Map<string, number>();
    let twice = 0;
    const nemesis: Nemesis = {
      name: 'some',
      title: '',
      plan(_stage, dice) {
        const name = `node ${dice.below(2)}`;
        const add = (count: number): void => void active.set(name, (active.get(name) ?? 0) + count);
        const begin = (): void => {
          add(1);
          if (active.get(name)! > 1) twice += 1;
        };
        return { where: [name], lasts: 60_000, begin, end: () => add(-1) };
      },
    };
    const schedule = new Schedule(STAGE, [nemesis], new Dice(3));
    await schedule.run(2_000);
    expect(twice).toBe(0);
    expect([...active.values()].every((count) => count === 0)).toBe(true);
    expect(schedule.faults.length).toBeGreaterThan(0);
    expect(schedule.failures).toEqual([]);
  });

  it('tells of what did not begin, and ends it all the same', async () => {
    let ended = 0;
    const plan: Nemesis['plan'] = () => ({
      where: ['node 1'],
      lasts: 0,
      begin: () => Promise.reject(new Error('no')),
      end: () => void (ended += 1),
    });
    const schedule = new Schedule(STAGE, [{ name: 'bad', title: '', plan }], new Dice(1));
    await schedule.run(1_200);
    expect(schedule.failures[0]).toBe('bad did not begin: Error: no');
    expect(ended).toBe(schedule.faults.length);
  });
});

describe('NEMESES', () => {
  it('have names of their own', () => {
    const names = NEMESES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('Dice', () => {
  it('repeat themselves by their seed', () => {
    const [one, other] = [new Dice(7), new Dice(7)];
    expect(one.some(3, [1, 2, 3, 4, 5])).toEqual(other.some(3, [1, 2, 3, 4, 5]));
    expect(one.between(5, 6)).toBe(other.between(5, 6));
  });
});
