import { describe, expect, it } from '@jest/globals';
import type { Hold } from '../record.js';
import { overlapsOf } from './exclusion.js';
import { permitsOf } from './permits.js';

function permit(id: string, slot: number, [from, to]: [number, number]): Hold {
  const resource = `permits~${slot}`;
  return { id, client: 'client 1.1', resource, token: from, from, to, until: to, lost: undefined, kind: 'permit' };
}

function all(id: string, window: [number, number]): Hold[] {
  return [0, 1, 2].map((slot) => permit(id, slot, window));
}

const THREE = [permit('1', 0, [0, 10]), permit('2', 1, [1, 10]), permit('3', 2, [2, 10])];

describe('permitsOf', () => {
  it('finds nothing where no more hold at once than may, and tells how many did', () => {
    const found = permitsOf([...THREE, permit('4', 1, [10, 20]), ...all('5', [20, 30])], 3);
    expect(found).toEqual({ crowds: [], most: 3, taken: 5, all: 1 });
  });

  it('finds one holder too many', () => {
    const found = permitsOf([...THREE, permit('4', 3, [9, 20])], 3);
    expect(found.crowds).toEqual([{ at: 9, ids: ['1', '2', '3', '4'] }]);
    expect(found.most).toBe(4);
  });

  it('finds somebody beside the one that has all', () => {
    const [first, , third] = [permit('1', 3, [0, 10]), undefined, permit('3', 3, [15, 30])];
    const ids = permitsOf([first, ...all('2', [5, 20]), third], 3).crowds.map((crowd) => crowd.ids);
    expect(ids).toContainEqual(['1', '2']);
    expect(ids).toContainEqual(['2', '3']);
  });

  it('takes a claim of no length for none, and leaves other locks out', () => {
    const other: Hold = { ...permit('5', 0, [0, 10]), resource: 'hot', kind: undefined };
    expect(permitsOf([...THREE, permit('4', 3, [9, 9]), other], 3)).toMatchObject({ crowds: [], most: 3, taken: 3 });
  });

  it('leaves two holders of one slot to the check of locks', () => {
    const two = [permit('1', 0, [0, 10]), permit('2', 0, [5, 15])];
    expect(overlapsOf(two)).toMatchObject([{ ms: 5 }]);
  });
});
