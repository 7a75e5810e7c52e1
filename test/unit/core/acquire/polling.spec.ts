import { describe, expect, it } from '@jest/globals';
import { rivalDelay, RIVAL_REPEATS } from '../../../../lib/core/acquire/polling.js';
import { fixedRandom } from '../../../support/seeded-random.js';

describe('rivalDelay', () => {
  it('is at least 1 ms', () => {
    expect(rivalDelay(0, 0, fixedRandom(0))).toBe(1);
  });

  it('grows with the repeats, up to a bound', () => {
    const delays = Array.from({ length: 10 }, (_, repeats) => rivalDelay(repeats, 8, fixedRandom(1)));
    expect(delays).toEqual([11, 21, 41, 81, 81, 81, 81, 81, 81, 81]);
  });

  it('grows with the round trip', () => {
    expect(rivalDelay(0, 50, fixedRandom(0.5))).toBeGreaterThan(rivalDelay(0, 5, fixedRandom(0.5)));
  });

  it('is repeated a bounded number of times', () => {
    expect(RIVAL_REPEATS).toBeLessThanOrEqual(10);
  });
});
