import { describe, expect, it } from '@jest/globals';
import { exitCodeOf } from '../../../lib/cli/io.js';

describe('exitCodeOf', () => {
  it.each([
    [5, 0],
    [4, 1],
    [3, 1],
    [2, 2],
    [0, 2],
  ])('is, where %i of 5 nodes are good: %i', (good, code) => {
    expect(exitCodeOf(good, 5, 3)).toBe(code);
  });
});
