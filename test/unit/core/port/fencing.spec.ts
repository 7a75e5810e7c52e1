import { describe, expect, it } from '@jest/globals';
import { proposalAt, stands, tokenOf } from '../../../../lib/core/port/fencing.js';
import { quorumOf } from '../../../../lib/core/quorum/quorum.js';
import { SeededRandom } from '../../../support/seeded-random.js';

/** All lists of `length` numbers from 0 to `most`. */
function vectors(length: number, most: number): number[][] {
  if (length === 0) return [[]];
  const shorter = vectors(length - 1, most);
  return Array.from({ length: most + 1 }, (_, first) => shorter.map((rest) => [first, ...rest])).flat();
}

/** All sets of at least a quorum of the indexes 0 to `nodes - 1`. */
function majorities(nodes: number): number[][] {
  return vectors(nodes, 1)
    .map((mask) => [...mask.keys()].filter((nodeIndex) => mask[nodeIndex] === 1))
    .filter(({ length }) => length >= quorumOf(nodes));
}

/** How a holder gets its token on nodes that count by one; undefined where it gives up. */
type Rule = (counters: number[], nodeIndexes: readonly number[]) => number | undefined;

const take = (counters: number[], nodeIndexes: readonly number[]): number[] =>
  nodeIndexes.map((nodeIndex) => (counters[nodeIndex]! += 1));

const theMaximum: Rule = (counters, nodeIndexes) => Math.max(...take(counters, nodeIndexes));

const theRule: Rule = (counters, nodeIndexes) => {
  const [fences, quorum] = [take(counters, nodeIndexes), quorumOf(counters.length)];
  const token = tokenOf(fences, quorum)!;
  return stands(fences, quorum, token) ? token : undefined;
};

const theRuleWithRaising: Rule = (counters, nodeIndexes) => {
  const token = tokenOf(take(counters, nodeIndexes), quorumOf(counters.length))!;
  for (const nodeIndex of nodeIndexes) counters[nodeIndex] = Math.max(counters[nodeIndex]!, token);
  return token;
};

/** Whether the second of two successive holders has the greater token, or one of them has none. */
function isOrdered(rule: Rule, start: readonly number[], [first, second]: readonly number[][]): boolean {
  const counters = [...start];
  const [before, after] = [rule(counters, first!), rule(counters, second!)];
  return before === undefined || after === undefined || after > before;
}

describe('tokenOf', () => {
  it.each([
    [[7], 1, 7],
    [[5, 5], 2, 5],
    [[1, 2], 2, 2],
    [[2, 1], 2, 2],
    [[9, 1, 5], 2, 5],
    [[5, 5, 100], 2, 5],
    [[1, 5, 5], 2, 5],
    [[10, 9, 8], 3, 10],
    [[4, 3, 2, 1], 3, 3],
    [[5, 1, 4, 2, 3], 3, 3],
    [[101, 6, 6], 3, 101],
    [[100, 9, 20], 2, 20],
  ])('of %j with a quorum of %i is %i', (fences, quorum, token) => {
    expect(tokenOf(fences, quorum)).toBe(token);
  });

  it.each([
    [[], 1],
    [[], 2],
    [[1], 2],
    [[1, 1], 3],
  ])('of %j, which is no quorum of %i, is none', (fences, quorum) => {
    expect(tokenOf(fences, quorum)).toBeUndefined();
  });

  it('leaves what it is given as it is', () => {
    const fences = Object.freeze([3, 1, 2]);
    tokenOf(fences, 2);
    expect(fences).toEqual([3, 1, 2]);
  });

  it('is the smallest that a quorum does not exceed, whatever the votes', () => {
    for (const nodes of [1, 2, 3, 4, 5]) {
      for (const fences of vectors(nodes, 3)) {
        const fits = (token: number) => fences.filter((fence) => fence <= token).length >= quorumOf(nodes);
        expect(tokenOf(fences, quorumOf(nodes))).toBe(Math.min(...fences.filter(fits)));
      }
    }
  });
});

describe('stands', () => {
  it.each([
    [[5, 5], 2, 5, true],
    [[5, 6], 2, 5, true],
    [[5, 6], 2, 6, false],
    [[1, 2], 2, 2, false],
    [[1, 2, 2], 2, 2, true],
    [[4, 3, 2, 1], 3, 3, false],
    [[5, 5, 5], 3, 5, true],
    [[5, 5, 4], 3, 5, false],
    [[], 1, 0, false],
  ])('of %j with a quorum of %i, %i: %s', (fences, quorum, token, expected) => {
    expect(stands(fences, quorum, token)).toBe(expected);
  });

  it.each([1, 3, 5])('holds as soon as all of %i nodes have granted', (nodes) => {
    for (const fences of vectors(nodes, 3)) {
      expect(stands(fences, quorumOf(nodes), tokenOf(fences, quorumOf(nodes))!)).toBe(true);
    }
  });

  it('holds with a bare quorum only where all of it agree', () => {
    for (const quorum of [1, 2, 3]) {
      for (const fences of vectors(quorum, 3)) {
        expect(stands(fences, quorum, tokenOf(fences, quorum)!)).toBe(new Set(fences).size === 1);
      }
    }
  });
});

describe('tokens by the rule', () => {
  const pairs = (nodes: number): number[][][] =>
    majorities(nodes).flatMap((first) => majorities(nodes).map((second) => [first, second]));

  it.each([
    [
      'of three nodes where one is ahead',
      [0, 0, 1],
      [
        [0, 2],
        [0, 1],
      ],
    ],
    [
      'of five nodes where one is far ahead',
      [100, 5, 5, 5, 5],
      [
        [0, 1, 2],
        [2, 3, 4],
      ],
    ],
  ])('are in order where the maximum is not: %s', (_, start, nodeIndexes) => {
    expect(isOrdered(theMaximum, start, nodeIndexes)).toBe(false);
    expect(isOrdered(theRule, start, nodeIndexes)).toBe(true);
    expect(isOrdered(theRuleWithRaising, start, nodeIndexes)).toBe(true);
  });

  it.each([1, 2, 3, 4])('are in order over %i nodes, whatever their counters and whichever nodes answer', (nodes) => {
    for (const start of vectors(nodes, 2)) {
      for (const nodeIndexes of pairs(nodes)) {
        const ordered = [theRule, theRuleWithRaising].map((rule) => isOrdered(rule, start, nodeIndexes));
        expect({ start, nodeIndexes, ordered }).toEqual({ start, nodeIndexes, ordered: [true, true] });
      }
    }
  });

  it('are in order over five nodes through many holders, where the maximum fails', () => {
    const random = new SeededRandom(5);
    const all = majorities(5);
    const inOrder = new Map([theMaximum, theRule, theRuleWithRaising].map((rule) => [rule, true]));
    for (let round = 0; round < 300; round += 1) {
      const start = Array.from({ length: 5 }, () => Math.floor(random.fraction() * 8));
      const turns = Array.from({ length: 6 }, () => all[Math.floor(random.fraction() * all.length)]!);
      for (const rule of inOrder.keys()) {
        const counters = [...start];
        const tokens = turns.map((nodeIndexes) => rule(counters, nodeIndexes)).filter((token) => token !== undefined);
        if (tokens.some((token, index) => index > 0 && token <= tokens[index - 1]!)) inOrder.set(rule, false);
      }
    }
    expect([...inOrder.values()]).toEqual([false, true, true]);
  });
});

describe('proposalAt', () => {
  it.each([
    [1_700_000_000_000, 1_700_000_000_000_000],
    [1_700_000_000_000.25, 1_700_000_000_000_250],
    [1_700_000_000_000.75, 1_700_000_000_000_750],
    [0, 0],
  ])('is the wall clock of %d ms in whole microseconds', (wall, proposal) => {
    expect(proposalAt({ wall })).toBe(proposal);
  });

  it('is exact until the year 2255', () => {
    const proposal = proposalAt({ wall: Date.UTC(2255, 0, 1) });
    expect(Number.isSafeInteger(proposal)).toBe(true);
    expect(Number.isSafeInteger(proposal + 1)).toBe(true);
  });
});
