import { describe, expect, it } from '@jest/globals';
import { duration, jsonOf, paragraph, plain, solid, table } from '../../../lib/cli/output/layout.js';

/** Whatever a terminal does not show, or obeys. */
const INVISIBLE = {
  'a colour': '\u001B[31m',
  'the C1 control that begins a sequence': '\u009B2J',
  'a line end': 'a\nb',
  DEL: '\u007F',
  'a bidi override': '\u202Ecba',
  'a bidi isolate': '\u2066a\u2069',
  'an Arabic letter mark': '\u061C',
  'a zero-width space': 'a\u200Bb',
  'a zero-width joiner': 'a\u200Db',
  'a byte order mark': '\uFEFF',
  'a soft hyphen': 'a\u00ADb',
  'a Hangul filler': '\u3164',
  'a variation selector': 'a\uFE0F',
  'a tag': '\u{E0041}',
  'a line separator': 'a\u2028b',
  'a no-break space': 'a\u00A0b',
  'half a surrogate pair': '\uD800',
  'a private character': '\uE000',
};

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
  it.each(Object.entries(INVISIBLE))('shows %s by its number, in text and in JSON', (_name, text) => {
    expect(plain(text)).toMatch(/^[ -~]*\\u\{[0-9a-f]+\}[ -~]*$/);
    expect(jsonOf({ text })).toMatch(/^[ -~]+$/);
    expect(JSON.parse(jsonOf({ text }))).toEqual({ text });
  });

  it('shows numbers as they are written elsewhere', () => {
    expect(plain('a\u001B[31m\nb\u202Ec\u2028d\u009B')).toBe('a\\u{1b}[31m\\u{a}b\\u{202e}c\\u{2028}d\\u{9b}');
    expect(jsonOf({ a: '\u009B\u{E0041}' })).toBe('{"a":"\\u009b\\udb40\\udc41"}');
    expect(plain('ünï 中 😀 ~*')).toBe('ünï 中 😀 ~*');
    expect(jsonOf({ a: 'ünï 中 😀 ~*' })).toBe('{"a":"ünï 中 😀 ~*"}');
  });
});

describe('a table', () => {
  const rows = [
    ['中', 'yes'],
    ['redis://a', ''],
  ];

  it('stands in columns, without lines, colours, and spaces at the end', () => {
    expect(table(['NODE', 'VOTES'], rows, Infinity)).toBe('NODE       VOTES\n中         yes\nredis://a');
  });

  it('is a paragraph for each row if the terminal is too narrow', () => {
    const text = table(['NODE', 'VOTES', 'VOTES IN'], [['redis://a', 'no', solid('2.7 s')]], 20);
    expect(text).toBe('redis://a\n  VOTES: no;\n  VOTES IN: 2.7 s');
    expect(table(['NODE', 'VOTES', 'VOTES IN'], [['a', 'no', '2.7 s']], 21)).toBe(
      'NODE  VOTES  VOTES IN\na     no     2.7 s',
    );
  });

  it('takes no long for a name of a million characters, nor for ten thousand rows', () => {
    const began = performance.now();
    const text = table(['A', 'B'], [['x'.repeat(1_000_000), 'a b']], 80);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBe(80);
    expect(performance.now() - began).toBeLessThan(5_000);
    const many = Array.from({ length: 10_000 }, (_, at) => [`name ${at}`, 'some more words for a cell', '1 | 2 | 3']);
    const then = performance.now();
    table(['A', 'B', 'C'], many, 30);
    expect(performance.now() - then).toBeLessThan(5_000);
  });
});

describe('a paragraph', () => {
  it('ends its lines between words, and goes on below its first word', () => {
    expect(paragraph('one two three', 20, '  to do: ')).toBe('  to do: one two\n         three');
    expect(paragraph('one two', Infinity, '! ')).toBe('! one two');
  });

  it('keeps a number and its unit in one line', () => {
    expect(paragraph(`${solid('2.7 s')} | ${solid('13 min 2 s')}`, 14)).toBe('2.7 s | 13 min\n2 s');
  });

  it('breaks a word that is too long behind punctuation, and else in its middle', () => {
    expect(paragraph('redis://server.example:6379', 16)).toBe('redis://server.\nexample:6379');
    expect(paragraph('x'.repeat(20), 16)).toBe(`${'x'.repeat(16)}\nxxxx`);
    expect(paragraph('中'.repeat(6), 10)).toBe('中中中中中\n中');
  });
});
