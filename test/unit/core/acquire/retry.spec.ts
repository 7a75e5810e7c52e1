import { describe, expect, it } from '@jest/globals';
import { askAgainIn, retryDelay } from '../../../../lib/core/acquire/retry.js';
import { LONGEST_SILENCE_IN_LINE } from '../../../../lib/core/port/claim.js';
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

describe('askAgainIn', () => {
  const policy = { retryDelay: 200, retryJitter: 100 };

  it('is as often as a caller that polls asks', () => {
    expect(askAgainIn(10_000, policy, fixedRandom(1))).toBe(retryDelay(policy, fixedRandom(1)));
  });

  it('is at the end of the time at the latest', () => {
    expect(askAgainIn(50, policy, fixedRandom(1))).toBe(50);
  });

  it('is before the nodes forget a waiter, however long the delay is', () => {
    const seldom = { retryDelay: 1_000_000, retryJitter: 0 };
    expect(askAgainIn(Infinity, seldom, fixedRandom(0))).toBe(LONGEST_SILENCE_IN_LINE);
  });
});
