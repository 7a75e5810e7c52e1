import { beforeEach, describe, expect, it } from '@jest/globals';
import { Roster, type RosterEntry } from '../../../../lib/core/collections/roster.js';
import { SeededRandom } from '../../../support/seeded-random.js';

class Named implements RosterEntry {
  rosterIndex = -1;

  constructor(readonly name: number) {}
}

describe('Roster', () => {
  let roster: Roster<Named>;
  const named = (count: number) => Array.from({ length: count }, (_, name) => new Named(name));
  const names = () => roster.all.map(({ name }) => name).sort((a, b) => a - b);

  beforeEach(() => {
    roster = new Roster();
  });

  it('knows its entries', () => {
    for (const entry of named(3)) roster.add(entry);
    expect([roster.size, names()]).toEqual([3, [0, 1, 2]]);
  });

  it.each([0, 1, 2])('lets go of entry %i of three, and of no other', (index) => {
    const entries = named(3);
    for (const entry of entries) roster.add(entry);
    roster.delete(entries[index]!);
    expect([roster.size, names()]).toEqual([2, [0, 1, 2].filter((name) => name !== index)]);
  });

  it('lets go of the only one', () => {
    const [entry] = named(1);
    roster.add(entry!);
    roster.delete(entry!);
    expect([roster.size, roster.all]).toEqual([0, []]);
  });

  it('lets go of an entry twice, or of one that was never there, without harm', () => {
    const [first, second, third, stranger] = named(4);
    for (const entry of [first!, second!, third!]) roster.add(entry);
    roster.delete(first!);
    roster.delete(first!);
    roster.delete(stranger!);
    expect(names()).toEqual([1, 2]);
  });

  it('takes back an entry that has left', () => {
    const [first, second] = named(2);
    roster.add(first!);
    roster.add(second!);
    roster.delete(first!);
    roster.add(first!);
    expect(names()).toEqual([0, 1]);
    roster.delete(first!);
    expect(names()).toEqual([1]);
  });

  it('shows the entries of this moment, whatever comes after', () => {
    const [first, second] = named(2);
    roster.add(first!);
    const { all } = roster;
    roster.add(second!);
    roster.delete(first!);
    expect(all).toEqual([first]);
  });

  it('agrees with a set, whichever entries come and go', () => {
    const random = new SeededRandom(7);
    const entries = named(50);
    const expected = new Set<number>();
    for (let step = 0; step < 2_000; step += 1) {
      const entry = entries[Math.floor(random.fraction() * entries.length)]!;
      if (expected.delete(entry.name)) roster.delete(entry);
      else {
        expected.add(entry.name);
        roster.add(entry);
      }
      expect(roster.size).toBe(expected.size);
    }
    expect(names()).toEqual([...expected].sort((a, b) => a - b));
  });
});
