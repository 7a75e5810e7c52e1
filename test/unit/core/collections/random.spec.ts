import { describe, expect, it } from '@jest/globals';
import { SystemRandom } from '../../../../lib/core/collections/random.js';

describe('SystemRandom', () => {
  it('makes values of 20 bytes that can be printed', () => {
    const value = new SystemRandom().value();
    expect(value).toMatch(/^[\w-]{27}$/);
    expect(Buffer.from(value, 'base64url')).toHaveLength(20);
  });

  it('repeats no value, also over several fills of its pool', () => {
    const random = new SystemRandom();
    const values = Array.from({ length: 2_000 }, () => random.value());
    expect(new Set(values).size).toBe(2_000);
  });

  it('hands out no byte twice', () => {
    const random = new SystemRandom();
    const bytes = Array.from({ length: 600 }, () => Buffer.from(random.value(), 'base64url'));
    const halves = bytes.flatMap((value) => [value.toString('hex', 0, 10), value.toString('hex', 10)]);
    expect(new Set(halves).size).toBe(1_200);
  });

  it('makes fractions from 0 to below 1', () => {
    const random = new SystemRandom();
    const fractions = Array.from({ length: 100 }, () => random.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    expect(new Set(fractions).size).toBeGreaterThan(90);
  });
});
