import { describe, expect, it } from '@jest/globals';
import { retryDelay, SPLIT_VOTE_ROUNDS, splitVoteDelay } from '../../../../lib/core/acquire/retry.js';
import { fixedRandom, SeededRandom } from '../../../support/seeded-random.js';

describe('retryDelay', () => {
  it.each([
    [0, 100],
    [0.5, 200],
    [1, 300],
  ])('at a fraction of %d is %d ms', (fraction, delay) => {
    expect(retryDelay({ retryDelay: 200, retryJitter: 100 }, fixedRandom(fraction))).toBe(delay);
  });

  it.each([
    [0, 0],
    [100, 200],
    [0, 5_000],
  ])('of %d give or take %d ms is never below 1 ms', (delay, jitter) => {
    expect(retryDelay({ retryDelay: delay, retryJitter: jitter }, fixedRandom(0))).toBe(1);
  });

  it('is not the same for rivals', () => {
    const delays = [1, 2, 3, 4, 5].map((seed) =>
      retryDelay({ retryDelay: 200, retryJitter: 100 }, new SeededRandom(seed)),
    );
    expect(new Set(delays).size).toBe(5);
  });
});

describe('splitVoteDelay', () => {
  it('is at least 1 ms', () => {
    expect(splitVoteDelay(0, 0, fixedRandom(0))).toBe(1);
  });

  it('grows with the round, up to a bound', () => {
    const delays = Array.from({ length: 10 }, (_, round) => splitVoteDelay(round, 8, fixedRandom(1)));
    expect(delays).toEqual([11, 21, 41, 81, 81, 81, 81, 81, 81, 81]);
  });

  it('grows with the round trip', () => {
    expect(splitVoteDelay(0, 50, fixedRandom(0.5))).toBeGreaterThan(splitVoteDelay(0, 5, fixedRandom(0.5)));
  });

  it('is repeated a bounded number of times', () => {
    expect(SPLIT_VOTE_ROUNDS).toBeLessThanOrEqual(10);
  });
});
