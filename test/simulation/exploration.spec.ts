import { describe, expect, it } from '@jest/globals';
import { stands, tokenOf } from '../../lib/core/fencing.js';
import { countersUpTo, explore, type TokenRule } from './exploration.js';

const RULE: TokenRule = { tokenOf, stands };

function exploreAll(rule: TokenRule, counters: readonly number[][]): ReturnType<typeof explore>[] {
  return counters.map((start) => explore(rule, start));
}

describe('everything that can happen to two attempts on three nodes', () => {
  it('keeps the tokens in order, whatever the counters begin with', () => {
    const explorations = exploreAll(RULE, countersUpTo(2, 3));
    expect(explorations.map(({ violation }) => violation).filter((violation) => violation !== undefined)).toEqual([]);
    expect(explorations.every(({ states }) => states > 1_000)).toBe(true);
  }, 60_000);

  it('finds that the greatest counter of a quorum is no token', () => {
    const naive: TokenRule = { tokenOf: (fences) => Math.max(...fences), stands: () => true };
    const violations = exploreAll(naive, countersUpTo(1, 3)).map(({ violation }) => violation);
    expect(violations.some((violation) => violation !== undefined)).toBe(true);
  });

  it('finds that a token must stand on a quorum', () => {
    const hasty: TokenRule = { tokenOf, stands: () => true };
    const violations = exploreAll(hasty, countersUpTo(2, 3)).map(({ violation }) => violation);
    expect(violations.some((violation) => violation !== undefined)).toBe(true);
  });

  it('finds that the smallest counter is no token', () => {
    const least: TokenRule = { tokenOf: (fences) => Math.min(...fences), stands };
    const violations = exploreAll(least, countersUpTo(2, 3)).map(({ violation }) => violation);
    expect(violations.some((violation) => violation !== undefined)).toBe(true);
  });
});
