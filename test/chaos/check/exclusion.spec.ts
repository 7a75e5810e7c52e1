import { describe, expect, it } from '@jest/globals';
import type { Hold } from '../record.js';
import { backwardsOf, overlapsOf } from './exclusion.js';

function hold(id: string, from: number, to: number, more: Partial<Hold> = {}): Hold {
  return { id, client: `client ${id}`, resource: 'a', token: from, from, to, until: to, lost: undefined, ...more };
}

describe('overlapsOf', () => {
  it('finds none where each begins after the last one ended', () => {
    expect(overlapsOf([hold('1', 0, 5), hold('2', 5, 9), hold('3', 10, 11)])).toEqual([]);
  });

  it('finds two that held at once, and for how long', () => {
    const [first, second] = [hold('1', 0, 5), hold('2', 3, 9)];
    expect(overlapsOf([second, first])).toEqual([{ first, second, ms: 2 }]);
  });

  it('leaves out a claim that got a lock when it was over', () => {
    expect(overlapsOf([hold('1', 0, 5), hold('2', 3, 3), hold('3', 5, 9)])).toEqual([]);
  });

  it('compares with the one that lasts longest, not only with the neighbour', () => {
    const found = overlapsOf([hold('1', 0, 100), hold('2', 10, 20), hold('3', 30, 40)]);
    expect(found.map(({ second }) => second.id)).toEqual(['2', '3']);
  });

  it('does not mix resources', () => {
    expect(overlapsOf([hold('1', 0, 5), hold('2', 1, 4, { resource: 'b' })])).toEqual([]);
  });

  it('takes a claim of no length for none', () => {
    expect(overlapsOf([hold('1', 0, 5), hold('2', 5, 5), hold('3', 5, 6)])).toEqual([]);
  });
});

describe('backwardsOf', () => {
  it('finds a token that is not above that of an earlier holder', () => {
    const [first, second] = [hold('1', 0, 5, { token: 7 }), hold('2', 6, 9, { token: 7 })];
    expect(backwardsOf([first, second])).toEqual([{ first, second }]);
  });

  it('compares with the highest so far, also of earlier chapters', () => {
    const highest = new Map([['a', hold('0', -9, -8, { token: 20 })]]);
    expect(backwardsOf([hold('1', 0, 5, { token: 10 })], highest)).toHaveLength(1);
    expect(backwardsOf([hold('2', 6, 7, { token: 21 })], highest)).toEqual([]);
    expect(highest.get('a')?.token).toBe(21);
  });

  it('lets holders that learned too late of their lock say nothing', () => {
    expect(backwardsOf([hold('1', 0, 5, { token: 9 }), hold('2', 6, 6, { token: 3 })])).toEqual([]);
  });
});
