import { describe, expect, it } from '@jest/globals';
import { Aside } from '../../../lib/core/aside.js';
import { Claim } from '../../../lib/core/claim.js';
import { readAnswers } from '../../../lib/redis/answers.js';
import { Batch } from '../../../lib/redis/batch.js';
import type { Reply } from '../../../lib/redis/wire-command.js';

describe('readAnswers', () => {
  const answersOf = (size: number, reply: Reply): unknown[] => {
    const batch = new Batch();
    for (let index = 0; index < size; index += 1) batch.add('A', new Aside<never>(new Claim(['a'], 'v'), 1), 0);
    const answers: unknown[] = [];
    readAnswers(batch, reply, (index, answer) => {
      expect(index).toBe(answers.length);
      answers.push(answer);
    });
    return answers;
  };
  const read = (value: unknown, size = 1) => answersOf(size, { ok: true, value });
  const NONE_OF_OURS = { kind: 'unknown', reason: 'an answer that is none of ours', sent: true };

  it.each([
    ['x', 'extended'],
    ['m', 'missing'],
    ['t', 'taken'],
    ['u', 'raised'],
    ['d', 'released'],
    ['n', 'gone'],
    ['k', 'kept'],
    ['p', 'passed'],
  ])('takes "%s" for %s', (letter, kind) => {
    expect(read(letter)).toEqual([{ kind }]);
  });

  it.each([
    [1_234, 1_234],
    [0, 0],
    [-1, Infinity],
    [-2, 0],
  ])('takes "h" with %i for held, with %d ms left', (left, remaining) => {
    expect(read(['h', left, 'owner'])).toEqual([{ kind: 'held', remaining, owner: 'owner' }]);
  });

  it('takes "!" for unknown, with the reason', () => {
    expect(read(['!', 'WRONGTYPE of key'])).toEqual([{ kind: 'unknown', reason: 'WRONGTYPE of key', sent: true }]);
  });

  it('tells the answers of a batch in order, each with what belongs to it', () => {
    expect(read(['gh!hxd', '17', 10, 'one', 'OOM', 20, 'two'], 6)).toEqual([
      { kind: 'granted', fence: 17 },
      { kind: 'held', remaining: 10, owner: 'one' },
      { kind: 'unknown', reason: 'OOM', sent: true },
      { kind: 'held', remaining: 20, owner: 'two' },
      { kind: 'extended' },
      { kind: 'released' },
    ]);
  });

  it.each([true, false])('tells every operation why there is no reply: sent %s', (sent) => {
    const why = { kind: 'unknown', reason: 'connection closed', sent };
    expect(answersOf(3, { ok: false, reason: 'connection closed', sent })).toEqual([why, why, why]);
  });

  it.each(['?', undefined, 7, [], {}, '', 'g', ['g', 'no number']])(
    'takes %j for an answer that is none of ours, and never for a vote',
    (value) => {
      expect(read(value)).toEqual([NONE_OF_OURS]);
    },
  );

  it('takes missing answers for unknown', () => {
    expect(read('xx', 4)).toEqual([{ kind: 'extended' }, { kind: 'extended' }, NONE_OF_OURS, NONE_OF_OURS]);
  });
});
