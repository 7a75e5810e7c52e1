import { describe, expect, it } from '@jest/globals';
import { clockOffset, dateOnNodes } from '../../../../lib/core/port/node-date.js';

const MOMENT = { monotonic: 5_000.25, wall: 1_700_000_005_000 };
/** Ms by which our wall clock is ahead of our monotonic one. */
const OURS = MOMENT.wall - MOMENT.monotonic;

/** A node whose clock is ahead of our wall clock by so many ms, give or take some. */
const node = (off: number, give = 0.5) => ({ clockAhead: { least: OURS + off - give, most: OURS + off + give } });
const unknown = {};
/** Ms by which the date on such nodes is later than on our wall clock. */
const later = (...nodes: Parameters<typeof dateOnNodes>[1]): number => dateOnNodes(MOMENT, nodes) - MOMENT.wall;

describe('a date on the nodes', () => {
  it.each([
    ['of one node', [node(70)], 70],
    ['of three nodes', [node(300), node(-80_000), node(20)], 20],
    ['of five nodes', [node(-900), node(-905), node(900_000), node(-902), node(-900_000)], -902],
    ['of those that are known, however many are not', [unknown, node(40), unknown, node(30), node(50)], 40],
    ['of an even number of them, the earlier one by all clients', [node(40), unknown, node(10)], 10],
  ])('is the median %s', (_, nodes, date) => {
    expect(later(...nodes)).toBeCloseTo(date, 3);
  });

  it('is that on our wall clock while none is known', () => {
    expect([later(), later(unknown, unknown)]).toEqual([0, 0]);
  });

  it('is exactly that on our wall clock where this agrees with theirs as far as can be told', () => {
    expect(later(node(3, 4), node(-2, 2.5), node(0.9, 0.1))).toBe(0);
    expect(later(node(3, 4), node(900), node(-20, 30))).toBe(0);
  });

  it('is not that on our wall clock where this does not agree with theirs', () => {
    expect(later(node(5, 1), node(6, 1), node(7, 1))).toBeCloseTo(6, 3);
    expect(later(node(-5, 1), node(-6, 1), node(-7, 1))).toBeCloseTo(-6, 3);
  });

  it('is that on our wall clock where the process stood still for 2 ms between the readings of its two clocks', () => {
    const exact = { clockAhead: { least: OURS - 2.1, most: OURS - 2 } };
    const slowlyRead = { clockAhead: { least: OURS - 40, most: OURS - 2 } };
    expect(later(exact, slowlyRead, slowlyRead)).toBe(0);
  });

  it('is the same before and after our wall clock is set', () => {
    const nodes = [node(0, 0.1), node(0.2, 0.1), node(-0.2, 0.1)];
    const before = dateOnNodes(MOMENT, nodes);
    for (const step of [-8_000, -900, 900, 8_000]) {
      expect(dateOnNodes({ monotonic: MOMENT.monotonic, wall: MOMENT.wall + step }, nodes)).toBeCloseTo(before, 0);
    }
  });
});

describe('the distance of the clock of a node', () => {
  it.each([
    ['in whole ms, where it is ahead', node(3_000.4, 90), 3_000],
    ['less than 0, where it is behind', node(-12.6, 1), -13],
    ['0 where the two agree as far as can be told', node(40, 45), 0],
    ['0 where they differ by no more than the readings do', node(3, 0.5), 0],
    ['undefined where it is not known', unknown, undefined],
  ])('is %s', (_case, { clockAhead }: Parameters<typeof dateOnNodes>[1][number], distance) => {
    expect(clockOffset(MOMENT, clockAhead)).toBe(distance);
  });

  it('changes when our own clock is set', () => {
    const { clockAhead } = node(0);
    expect(clockOffset({ ...MOMENT, wall: MOMENT.wall + 8_000 }, clockAhead)).toBe(-8_000);
  });
});
