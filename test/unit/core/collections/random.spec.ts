import { describe, expect, it } from '@jest/globals';
import { processMarkOf, newProcessMark, SystemRandom } from '../../../../lib/core/collections/random.js';

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

  it('begins all values of one process with its mark, and those of another with another', () => {
    const [random, other] = [new SystemRandom(), new SystemRandom()];
    const values = Array.from({ length: 2_000 }, () => random.value());
    expect(random.processMark).toMatch(/^[\w-]{6}$/);
    expect(new Set(values.map((value) => value.slice(0, 6)))).toEqual(new Set([random.processMark]));
    expect(other.processMark).not.toBe(random.processMark);
    expect(new SystemRandom('a-mark').value()).toMatch(/^a-mark[\w-]{21}$/);
  });

  it('hands out no random character twice: 126 bits behind the mark are new in each value', () => {
    const random = new SystemRandom();
    const values = Array.from({ length: 2_000 }, () => random.value());
    const thirds = values.flatMap((value) => [6, 13, 20].map((at) => value.slice(at, at + 7)));
    expect(new Set(thirds).size).toBe(6_000);
    const characters = new Set(values.map((value) => value.slice(6)).join(''));
    expect(characters.size).toBe(64);
  });

  it('makes marks of all characters, at random', () => {
    const marks = Array.from({ length: 1_000 }, newProcessMark);
    expect(new Set(marks).size).toBe(1_000);
    expect(new Set(marks.join('')).size).toBe(64);
  });

  it.each([
    ['of this library', 'k3Jd9_abcdefghijklmnopqrstu', 'k3Jd9_'],
    ['of another length', 'k3Jd9_abcdefghijklmnopqrst', undefined],
    ['of that length with other characters', 'k3Jd9_abcdefghijklmnopqrs+=', undefined],
    ['that stands for data of another type', 'data of another type', undefined],
  ])('reads the mark of a value %s', (_case, value, mark) => {
    expect(processMarkOf(value)).toBe(mark);
  });

  it('makes fractions from 0 to below 1', () => {
    const random = new SystemRandom();
    const fractions = Array.from({ length: 100 }, () => random.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    expect(new Set(fractions).size).toBeGreaterThan(90);
  });
});
