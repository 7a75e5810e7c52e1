import { describe, expect, it } from '@jest/globals';
import { NonsenseError } from '../../../../../lib/redis/connection/wire/node-text.js';
import { RespScreen } from '../../../../../lib/redis/connection/wire/resp-screen.js';

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** Whether these bytes pass that come in chunks of this size, as answers to these commands. */
function passes(bytes: string, size: number, asked: readonly string[]): boolean {
  const all = Buffer.from(bytes);
  const waiting = [...asked];
  const screen = new RespScreen((number) => waiting[number]);
  let answered = 0;
  try {
    for (let at = 0; at < all.length; at += size) {
      screen.check(all.subarray(at, at + size));
      // As ioredis does once it has read the chunk.
      const whole = WHOLE.filter(({ end }) => end <= at + size).length;
      if (bytes === GOOD) waiting.splice(0, whole - answered);
      answered = whole;
    }
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(NonsenseError);
    return false;
  }
}

const ANSWERS = [
  ':17\r\n',
  '+OK\r\n',
  '-ERR no\r\n',
  '_\r\n',
  '#f\r\n',
  ',1.5e3\r\n',
  '(12345678901234567890\r\n',
  bulk('text\r\nin two lines, \u00e9'),
  bulk(''),
  '$-1\r\n',
  '*-1\r\n',
  '*0\r\n',
  `*3\r\n${bulk('gh')}:5\r\n*1\r\n${bulk('secret')}`,
  `%1\r\n${bulk('modules')}*1\r\n%1\r\n+name\r\n+x\r\n`,
  '=7\r\ntxt:abc\r\n',
  '!3\r\nERR\r\n',
  '~2\r\n:1\r\n:2\r\n',
];
const SUBSCRIBED = `>3\r\n${bulk('subscribe')}${bulk('c')}:1\r\n`;
const MESSAGE = `>3\r\n${bulk('message')}${bulk('c')}${bulk('text')}`;
const GOOD = [SUBSCRIBED, ...ANSWERS.map((answer) => MESSAGE + answer)].join('');
/** Where in the bytes above each answer ends. */
const WHOLE = [SUBSCRIBED, ...ANSWERS.map((answer) => MESSAGE + answer)].map((_, index, all) => ({
  end: Buffer.byteLength(all.slice(0, index + 1).join('')),
}));
const ASKED = ['subscribe', ...ANSWERS.map(() => 'evalsha')];

describe('RespScreen', () => {
  it.each([1, 2, 3, 5, 7, 11, 100, 10_000])('passes answers and messages that come in chunks of %i bytes', (size) => {
    expect(passes(GOOD, size, ASKED)).toBe(true);
    expect(passes(`${GOOD}:1\r\n`, 10_000, ASKED)).toBe(false);
  });

  it.each([
    ':x\r\n',
    ':1\n',
    '+a\rb\r\n',
    '$5x\r\n',
    '*-2\r\n',
    '_x\r\n',
    '#true\r\n',
    '*1\r\n>1\r\n+a\r\n',
    '=3\r\nabc\r\n',
    '|1\r\n+a\r\n+b\r\n',
    'HELLO\r\n',
    `${'*1\r\n'.repeat(9)}:1\r\n`,
    '*10001\r\n',
    '%5001\r\n',
    '$8388609\r\n',
  ])('stops %j, in whatever chunks it comes', (bytes) => {
    for (const size of [1, 2, 3, 1_000]) expect([size, passes(bytes, size, ['evalsha'])]).toEqual([size, false]);
  });

  it('takes as many bytes as it may for one answer, and no more', () => {
    expect(passes(bulk('a'.repeat(8_000_000)), 65_536, ['get'])).toBe(true);
    expect(passes(`+${'a'.repeat(9_000_000)}\r\n`, 65_536, ['get'])).toBe(false);
  });
});
