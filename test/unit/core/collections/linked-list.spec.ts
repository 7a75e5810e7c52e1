import { beforeEach, describe, expect, it } from '@jest/globals';
import { Link, LinkedList } from '../../../../lib/core/collections/linked-list.js';
import { SeededRandom } from '../../../support/seeded-random.js';

describe('LinkedList', () => {
  let list: LinkedList<string>;
  const add = (...names: string[]): Link<string>[] => names.map((name) => list.add(name));
  /** The entries of the list, in order; it is empty after that. */
  const taken = (): string[] => {
    const names = [];
    while (list.length > 0) names.push(list.shift()!);
    return names;
  };

  beforeEach(() => {
    list = new LinkedList();
  });

  it('is empty at first', () => {
    expect([list.length, list.first, list.shift(), list.all]).toEqual([0, undefined, undefined, []]);
    expect(list.length).toBe(0);
  });

  it('has the first entry before all others, and removes it first', () => {
    add('a', 'b', 'c');
    expect([list.length, list.first]).toEqual([3, 'a']);
    expect(taken()).toEqual(['a', 'b', 'c']);
    expect([list.first, list.shift()]).toEqual([undefined, undefined]);
  });

  it.each([0, 1, 2])('removes entry %i of three, and no other', (index) => {
    list.remove(add('a', 'b', 'c')[index]!);
    expect(list.length).toBe(2);
    expect(taken()).toEqual(['a', 'b', 'c'].filter((_, other) => other !== index));
  });

  it('removes the only entry', () => {
    list.remove(add('a')[0]!);
    expect([list.length, list.first]).toEqual([0, undefined]);
    add('b');
    expect(taken()).toEqual(['b']);
  });

  it('removes an entry twice, or after it was shifted, without harm', () => {
    const [a, b] = add('a', 'b', 'c');
    list.shift();
    list.remove(a!);
    list.remove(b!);
    list.remove(b!);
    expect([list.length, list.first]).toEqual([1, 'c']);
    expect(taken()).toEqual(['c']);
  });

  it('does not remove an entry of another list', () => {
    const other = new LinkedList<string>();
    add('a');
    list.remove(other.add('b'));
    list.remove(new Link('c'));
    expect([list.all, other.all, list.length, other.length]).toEqual([['a'], ['b'], 1, 1]);
  });

  it('takes a link back that was removed, at the end', () => {
    const [a] = add('a', 'b');
    list.remove(a!);
    list.append(a!);
    expect(list.all).toEqual(['b', 'a']);
    list.remove(a!);
    expect(list.all).toEqual(['b']);
  });

  it('shows the entries of this moment, whatever comes after', () => {
    const [a] = add('a');
    const { all } = list;
    add('b');
    list.remove(a!);
    expect(all).toEqual(['a']);
  });

  it('lets a removed entry keep no other entry alive', () => {
    const [, b] = add('a', 'b', 'c');
    list.remove(b!);
    expect([b!.list, b!.previous === b, b!.next === b]).toEqual([undefined, true, true]);
  });

  it('agrees with an array, whichever entries come and go', () => {
    const random = new SeededRandom(7);
    const below = (count: number): number => Math.floor(random.fraction() * count);
    const expected: Link<string>[] = [];
    for (let step = 0; step < 2_000; step += 1) {
      const choice = below(3);
      if (choice === 0 || expected.length === 0) expected.push(list.add(`${step}`));
      else if (choice === 1) expect(list.shift()).toBe(expected.shift()!.value);
      else list.remove(expected.splice(below(expected.length), 1)[0]!);
      expect([list.length, list.first]).toEqual([expected.length, expected[0]?.value]);
    }
    expect(list.all).toEqual(expected.map(({ value }) => value));
  });
});
