import { beforeEach, describe, expect, it } from '@jest/globals';
import { Queue } from '../../../../lib/core/collections/queue.js';
import { SeededRandom } from '../../../support/seeded-random.js';

describe('Queue', () => {
  let queue: Queue<string>;
  const add = (...names: string[]): (() => void)[] => names.map((name) => queue.add(name));
  /** The entries of the queue, in order; it is empty after that. */
  const taken = (): string[] => {
    const names = [];
    while (queue.length > 0) names.push(queue.shift()!);
    return names;
  };

  beforeEach(() => {
    queue = new Queue();
  });

  it('is empty at first', () => {
    expect([queue.length, queue.first, queue.shift()]).toEqual([0, undefined, undefined]);
    expect(queue.length).toBe(0);
  });

  it('has the first entry before all others, and lets it go first', () => {
    add('a', 'b', 'c');
    expect([queue.length, queue.first]).toEqual([3, 'a']);
    expect(taken()).toEqual(['a', 'b', 'c']);
    expect([queue.first, queue.shift()]).toEqual([undefined, undefined]);
  });

  it.each([0, 1, 2])('lets number %i of three leave, and no other', (index) => {
    add('a', 'b', 'c')[index]!();
    expect(queue.length).toBe(2);
    expect(taken()).toEqual(['a', 'b', 'c'].filter((_, other) => other !== index));
  });

  it('lets the only one leave', () => {
    add('a')[0]!();
    expect([queue.length, queue.first]).toEqual([0, undefined]);
    add('b');
    expect(taken()).toEqual(['b']);
  });

  it('allows an entry to leave twice without harm, also after it was let go first', () => {
    const [leaveA, leaveB] = add('a', 'b', 'c');
    queue.shift();
    leaveA!();
    leaveB!();
    leaveB!();
    expect([queue.length, queue.first]).toEqual([1, 'c']);
    expect(taken()).toEqual(['c']);
  });

  it('behaves like a list, whichever entries come and leave', () => {
    const random = new SeededRandom(7);
    const below = (count: number): number => Math.floor(random.fraction() * count);
    const list: { readonly name: string; readonly leave: () => void }[] = [];
    for (let step = 0; step < 2_000; step += 1) {
      const choice = below(3);
      if (choice === 0 || list.length === 0) list.push({ name: `${step}`, leave: queue.add(`${step}`) });
      else if (choice === 1) expect(queue.shift()).toBe(list.shift()!.name);
      else list.splice(below(list.length), 1)[0]!.leave();
      expect([queue.length, queue.first]).toEqual([list.length, list[0]?.name]);
    }
  });
});
