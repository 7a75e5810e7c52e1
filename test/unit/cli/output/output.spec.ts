import { describe, expect, it } from '@jest/globals';
import { ago, duration } from '../../../../lib/cli/output/duration.js';
import { plain } from '../../../../lib/cli/output/plain.js';
import { table } from '../../../../lib/cli/output/table.js';

describe('what an operator reads', () => {
  it.each([
    [0, '0 ms'],
    [0.84, '0.8 ms'],
    [999, '999 ms'],
    [4_230, '4.2 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [277_200_000, '3 d 5 h'],
  ])('%d ms are %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  it('is how long ago something was, and never in the future', () => {
    const now = Date.parse('2026-11-24T03:00:00Z');
    expect(ago('2026-11-24T02:00:00Z', now)).toBe('1 h ago');
    expect(ago('2026-11-24T03:00:01Z', now)).toBe('0 ms ago');
  });

  it('has no control characters, and none that turn its direction', () => {
    expect(plain('a\u001B[31m\nb\u202Ec\u2028d\u0085')).toBe('a\\u{1b}[31m\\u{a}b\\u{202e}c\\u{2028}d\\u{85}');
    expect(plain('ünï 中 😀 ~*')).toBe('ünï 中 😀 ~*');
  });

  it('stands in columns, without lines, colours, and spaces at the end', () => {
    const text = table(
      ['NODE', 'VOTES'],
      [
        ['中', 'yes'],
        ['redis://a', ''],
      ],
    );
    expect(text).toBe('NODE       VOTES\n中         yes\nredis://a');
  });
});
