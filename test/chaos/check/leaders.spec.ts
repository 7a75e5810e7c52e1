import { describe, expect, it } from '@jest/globals';
import type { Hold } from '../record.js';
import { backwardsOf, overlapsOf } from './exclusion.js';
import { leadersOf } from './leaders.js';

const CALM = { from: 100, to: 400, limit: 200 };

function term(id: string, from: number, to: number, more: Partial<Hold> = {}): Hold {
  const resource = 'leader:chaos';
  return {
    id,
    client: 'client 1.1',
    resource,
    token: from,
    from,
    to,
    until: to,
    lost: undefined,
    kind: 'term',
    ...more,
  };
}

describe('leadersOf', () => {
  it('is content where a leader leads on when the faults end', () => {
    expect(leadersOf([term('1', 0, 150)], CALM)).toMatchObject({ took: 0, isLeaderless: false });
  });

  it('tells how long it took until somebody led, and how long nobody did between terms', () => {
    const found = leadersOf([term('1', 0, 50), term('2', 130, 160), term('3', 165, 400)], CALM);
    expect(found).toMatchObject({ took: 30, gaps: [5, 80], isLeaderless: false });
    expect(found.terms).toHaveLength(3);
  });

  it('finds that nobody leads in time, or at all', () => {
    expect(leadersOf([term('1', 0, 50), term('2', 350, 400)], CALM)).toMatchObject({ took: 250, isLeaderless: true });
    expect(leadersOf([term('1', 0, 50)], CALM)).toMatchObject({ took: Infinity, isLeaderless: true });
    expect(leadersOf([term('1', 350, 350)], CALM).isLeaderless).toBe(true);
  });

  it('finds a process that leads again before it has cleaned up, even if it had lost its lease', () => {
    const lost = term('1', 0, 50, { lost: 50, cleaned: 90 });
    const hasty = (...next: Hold[]): string[] => leadersOf([lost, ...next], CALM).hasty.map(({ id }) => id);
    expect(hasty(term('2', 89, 400))).toEqual(['2']);
    expect(hasty(term('2', 89, 89))).toEqual(['2']);
    expect(hasty(term('2', 90, 400))).toEqual([]);
    expect(hasty(term('2', 60, 400, { client: 'client 2.1' }))).toEqual([]);
    expect(hasty(term('2', 90, 100), term('3', 200, 400))).toEqual(['3']);
  });

  it('leaves locks out', () => {
    expect(leadersOf([term('1', 0, 400, { kind: undefined })], CALM).isLeaderless).toBe(true);
  });

  it('leaves two leaders at once, and numbers that go back, to the checks of locks', () => {
    const two = [term('1', 0, 50, { token: 7 }), term('2', 30, 60, { token: 7 })];
    expect(overlapsOf(two)).toMatchObject([{ ms: 20 }]);
    expect(backwardsOf(two)).toHaveLength(1);
  });
});
