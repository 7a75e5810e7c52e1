import { describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import type { ReleaseAnswer, YieldAnswer } from '../../../../lib/core/port/lock-node.js';
import { nodeClockOf, readAnswers, yieldedBy, secretOf } from '../../../../lib/redis/batch/reply-decoder.js';
import { Batch } from '../../../../lib/redis/batch/batch.js';
import type { Verb } from '../../../../lib/redis/scripts/protocol.js';
import type { Reply } from '../../../../lib/redis/connection/wire/wire-command.js';

describe('readAnswers', () => {
  const answersOf = (size: number, reply: Reply): unknown[] => {
    const batch = new Batch();
    for (let index = 0; index < size; index += 1) batch.add('A', new SingleCall<never>(new Claim(['a'], 'v'), 1), 0);
    const answers: unknown[] = [];
    readAnswers(batch, reply, (of, index, answer) => {
      expect(of).toBe(batch);
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

  it('answers with one and the same vote what was asked for in the same ms', () => {
    const [first, second] = read(2 + 1_024 * 1_700_000_000_000, 2);
    expect(first).toEqual({ kind: 'granted', fence: 0, oldest: Infinity });
    expect(second).toBe(first);
  });

  it('takes "!" for a refusal, with the reason', () => {
    expect(read(['!', 'WRONGTYPE of key'])).toEqual([
      { kind: 'unknown', reason: 'WRONGTYPE of key', sent: true, refused: true },
    ]);
  });

  it('takes an error in place of all answers for a refusal of each, without where in the script it was', () => {
    const reason = `READONLY it is one. script: ${'a1'.repeat(20)}, on @user_script:7.`;
    const refused = { kind: 'unknown', reason: 'READONLY it is one.', sent: true, refused: true };
    expect(answersOf(2, { ok: false, reason, sent: true, refused: true })).toEqual([refused, refused]);
  });

  it('tells the answers of a batch in order, each with what belongs to it', () => {
    expect(read(['gh!hxd', '17 1795', 10, 'one', 'OOM', 20, 'two'], 6)).toEqual([
      { kind: 'granted', fence: 17, oldest: 1_795 },
      { kind: 'held', remaining: 10, owner: 'one' },
      { kind: 'unknown', reason: 'OOM', sent: true, refused: true },
      { kind: 'held', remaining: 20, owner: 'two' },
      { kind: 'extended' },
      { kind: 'released' },
    ]);
  });

  it('takes one word for how long a node does not vote, and leaves those of the next one', () => {
    expect(read(['qh', '1500', 10, 'one'], 2)).toEqual([
      { kind: 'quarantined', remaining: 1_500 },
      { kind: 'held', remaining: 10, owner: 'one' },
    ]);
  });

  it.each([true, false])('tells every operation why there is no reply: sent %s', (sent) => {
    const why = { kind: 'unknown', reason: 'connection closed', sent };
    expect(answersOf(3, { ok: false, reason: 'connection closed', sent })).toEqual([why, why, why]);
  });

  it.each(['?', undefined, 7, [], {}, '', 'g', ['g', 'no number'], ['g', ' -']])(
    'takes %j for an answer that is none of ours, and never for a vote',
    (value) => {
      expect(read(value)).toEqual([NONE_OF_OURS]);
    },
  );

  it('takes missing answers for unknown', () => {
    expect(read('xx', 4)).toEqual([{ kind: 'extended' }, { kind: 'extended' }, NONE_OF_OURS, NONE_OF_OURS]);
  });
});

describe('readAnswers, of votes', () => {
  const PROPOSAL = 1_795_000_000_000_123;
  const CLOCK = 1_795_000_000_456;
  const NONE_OF_OURS = { kind: 'unknown', reason: 'an answer that is none of ours', sent: true };

  /** The answers to these, each of which proposes one more than the one before it. */
  const read = (verbs: readonly Verb[], value: unknown): unknown[] => {
    const batch = new Batch();
    verbs.forEach((verb, index) => {
      const question = new SingleCall<never>(new Claim(['a'], 'v'), 1);
      question.proposal = PROPOSAL + index;
      batch.add(verb, question, 0);
    });
    const answers: unknown[] = [];
    readAnswers(batch, { ok: true, value }, (_batch, _index, answer) => void answers.push(answer));
    return answers;
  };

  it('takes the number of a batch for all as usual, each with what it proposed', () => {
    expect(read(['A', 'W', 'E', 'R'], 4)).toEqual([
      { kind: 'granted', fence: PROPOSAL, oldest: Infinity },
      { kind: 'granted', fence: PROPOSAL + 1, oldest: Infinity },
      { kind: 'extended' },
      { kind: 'released' },
    ]);
  });

  it('finds the number of a batch beside the clock of the node', () => {
    expect(read(['A', 'L'], 2 + 1_024 * CLOCK)).toEqual([
      { kind: 'granted', fence: PROPOSAL, oldest: Infinity },
      { kind: 'released' },
    ]);
  });

  it('takes another number for no vote', () => {
    expect(read(['A', 'A'], 3 + 1_024 * CLOCK)).toEqual([NONE_OF_OURS, NONE_OF_OURS]);
  });

  it.each([String(PROPOSAL + 7), Buffer.from(String(PROPOSAL + 7))])(
    'takes the counter as the node has it: %s',
    (fence) => {
      expect(read(['A', 'W', 'a'], ['g*g', fence, '17 -', CLOCK])).toEqual([
        { kind: 'granted', fence: PROPOSAL + 7, oldest: 0 },
        { kind: 'granted', fence: PROPOSAL + 1, oldest: Infinity },
        { kind: 'granted', fence: 17, oldest: Infinity },
      ]);
    },
  );

  it.each(['none', 'inf', 'nan', '- 17', undefined])('takes a vote with the counter "%s" for none', (fence) => {
    expect(read(['A'], ['g', fence])).toEqual([NONE_OF_OURS]);
  });

  it('tells those that were lifted from those that are gone', () => {
    expect(read(['F', 'f', 'F'], 'unu')).toEqual([{ kind: 'raised' }, { kind: 'gone' }, { kind: 'raised' }]);
  });

  it.each([
    [2, undefined],
    [2 + 1_024 * CLOCK, CLOCK],
    [['gg', '1', '2', CLOCK], CLOCK],
    [['gg', '1', '2'], undefined],
    [['h', 500, 'owner'], undefined],
    [['p', ['5ec7e7'], 0], undefined],
    ['xx', undefined],
    [undefined, undefined],
  ])('finds in %j the clock %s', (value, clock) => {
    expect(nodeClockOf({ ok: true, value })).toBe(clock);
    expect(nodeClockOf({ ok: false, reason: 'closed', sent: true })).toBeUndefined();
  });

  it.each([
    [2, undefined],
    [['h*', 500, 'owner', CLOCK], undefined],
    [['h*', 500, 'owner'], undefined],
    [['h*', 500, 'owner', ['5ec7e7'], CLOCK], '5ec7e7'],
    [['p', [Buffer.from('5ec7e7')], 0], '5ec7e7'],
    ['d', undefined],
    [undefined, undefined],
  ])('finds in %j the secret %s, by which the node signs grants', (value, secret) => {
    expect(secretOf({ ok: true, value })).toBe(secret);
    expect(secretOf({ ok: false, reason: 'closed', sent: true })).toBeUndefined();
  });
});

describe('yieldedBy', () => {
  it.each<[ReleaseAnswer, YieldAnswer]>([
    [{ kind: 'released' }, { kind: 'passed' }],
    [{ kind: 'gone' }, { kind: 'gone' }],
    [
      { kind: 'unknown', reason: 'broken', sent: true },
      { kind: 'unknown', reason: 'broken', sent: true },
    ],
    [
      { kind: 'unknown', reason: 'down, and owed', sent: false },
      { kind: 'unknown', reason: 'down, and owed', sent: true },
    ],
  ])('takes a release that was answered %j for %j', (released, yielded) => {
    expect(yieldedBy(released)).toEqual(yielded);
  });
});
