import { beforeEach, describe, expect, it } from '@jest/globals';
import { hashOf } from '../../../../lib/core/collections/hash.js';
import { SlotTable, type Named } from '../../../../lib/core/collections/slot-table.js';
import { SeededRandom } from '../../../support/seeded-random.js';

describe('SlotTable', () => {
  let table: SlotTable<Named>;
  /** So many names that would all have the same slot. */
  const rivals = (count: number): Named[] => {
    const found: Named[] = [];
    const slot = hashOf('first') & 4_095;
    for (let index = 0; found.length < count; index += 1) {
      if ((hashOf(`name:${index}`) & 4_095) === slot) found.push({ name: `name:${index}` });
    }
    return found;
  };

  beforeEach(() => {
    table = new SlotTable();
  });

  it('finds what was added, by its name', () => {
    const [one, two] = [{ name: 'one' }, { name: 'two' }];
    table.add(one);
    table.add(two);
    expect([table.get('one'), table.get('two'), table.get('three')]).toEqual([one, two, undefined]);
  });

  it('finds by a name that is equal and not the same', () => {
    const entry = { name: 'user:1' };
    table.add(entry);
    expect(table.get(['user', '1'].join(':'))).toBe(entry);
  });

  it('finds nothing that was deleted', () => {
    const entry = { name: 'one' };
    table.add(entry);
    table.delete(entry);
    expect(table.get('one')).toBeUndefined();
  });

  it.each([
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ])('keeps entries apart whose hashes are equal, deleted in the order %i %i %i', (...order) => {
    const entries = rivals(3);
    for (const entry of entries) table.add(entry);
    const left = new Set(entries);
    for (const index of order) {
      expect(entries.map(({ name }) => table.get(name))).toEqual(
        entries.map((entry) => (left.has(entry) ? entry : undefined)),
      );
      table.delete(entries[index]!);
      left.delete(entries[index]!);
    }
    expect(entries.map(({ name }) => table.get(name))).toEqual([undefined, undefined, undefined]);
  });

  it.each([0, 1])('deletes one entry and not another one of its name, with %i rivals for its slot', (count) => {
    const [own, ...others] = rivals(2);
    const [former, latter] = [{ ...own! }, { ...own! }];
    for (const other of others.slice(0, count)) table.add(other);
    table.add(former);
    table.delete(former);
    table.add(latter);
    table.delete(former);
    expect(table.get(own!.name)).toBe(latter);
  });

  it('does what a map does, whatever comes and goes', () => {
    const random = new SeededRandom(7);
    const map = new Map<string, Named>();
    for (let step = 0; step < 50_000; step += 1) {
      const name = `name:${Math.floor(random.fraction() * 9_000)}`;
      const known = map.get(name);
      expect(table.get(name)).toBe(known);
      if (known) {
        table.delete(known);
        map.delete(name);
      } else {
        const entry = { name };
        table.add(entry);
        map.set(name, entry);
      }
    }
    expect(map.size).toBeGreaterThan(4_096);
  });
});
