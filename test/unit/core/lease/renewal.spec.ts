import { describe, expect, it } from '@jest/globals';
import { renewalIn, renewalRetryIn } from '../../../../lib/core/lease/renewal.js';
import { fixedRandom } from '../../../support/seeded-random.js';

describe('renewalIn', () => {
  it.each([
    [0, 2_700],
    [0.5, 3_000],
    [1, 3_300],
  ])('is a third of the ttl, at a fraction of %d %d ms', (fraction, delay) => {
    expect(renewalIn(9_000, fixedRandom(fraction))).toBeCloseTo(delay);
  });

  it.each([4, 5, 10, 15])('keeps a distance of a few ms even with a ttl of %i ms', (ttl) => {
    expect(renewalIn(ttl, fixedRandom(0))).toBe(5);
  });

  it('leaves time for further tries within the lease', () => {
    expect(renewalIn(9_000, fixedRandom(1))).toBeLessThan(9_000 / 2);
  });
});

describe('renewalRetryIn', () => {
  it.each([
    [6_000, 900],
    [1_500, 500],
    [30, 10],
    [3, 5],
    [0, 5],
  ])('lets several tries fit into the %i ms left', (left, delay) => {
    expect(renewalRetryIn(9_000, left)).toBe(delay);
  });
});
