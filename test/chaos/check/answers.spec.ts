import { describe, expect, it } from '@jest/globals';
import type { OnceAnswer } from '../record.js';
import { twoAnswersOf } from './answers.js';

function call(id: string, answer: string | undefined, more: Partial<OnceAnswer> = {}): OnceAnswer {
  return { id, key: 'a', ran: id === answer, isUnkept: false, answer, ...more };
}

describe('twoAnswersOf', () => {
  it('finds none where all callers of a key were told the same, or nothing', () => {
    expect(twoAnswersOf([call('1', '1'), call('2', '1'), call('3', undefined, { ran: true })])).toEqual([]);
  });

  it('finds a key with two answers once, however many callers were told either', () => {
    const [first, second] = [call('1', '1'), call('2', '2')];
    expect(twoAnswersOf([first, second, call('3', '1'), call('4', '2')])).toEqual([{ key: 'a', first, second }]);
  });

  it('leaves out what was told as not kept', () => {
    expect(twoAnswersOf([call('1', '1', { isUnkept: true }), call('2', '2')])).toEqual([]);
  });

  it('does not mix keys', () => {
    expect(twoAnswersOf([call('1', '1'), call('2', '2', { key: 'b' })])).toEqual([]);
  });

  it('compares with what was told in earlier chapters', () => {
    const answers = new Map<string, OnceAnswer>();
    twoAnswersOf([call('1', '1')], answers);
    expect(twoAnswersOf([call('2', '2')], answers)).toHaveLength(1);
  });
});
