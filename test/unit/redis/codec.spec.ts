import { describe, expect, it } from '@jest/globals';
import type { AcquireOperation, Operation } from '../../../lib/engine/lock-node.js';
import { BatchEncoder } from '../../../lib/redis/codec.js';
import { CLOCK_FACTOR } from '../../../lib/redis/scripts/operations.lua.js';

const EXTEND: Operation = { kind: 'extend', resource: 'a', value: 'p.1', ttl: 1_000 };
const RELEASE: Operation = { kind: 'release', resource: 'a', value: 'p.1', ttl: 1_000, what: 'stay' };
const CLOCK = 1_795_000_000_000;

const encoderWith = (restartQuarantine: boolean) =>
  new BatchEncoder({ keyPrefix: 'lock:', channel: 'me', maxTtl: 30_000, restartQuarantine });

describe('a call for a node', () => {
  /** The third word of ARGV says whether the node is checked. */
  const checkIn = (wire: string): string | undefined => /\r\n30000\r\n\$1\r\n([cn])\r\n/.exec(wire)?.[1];

  it('with the text of the script checks the node whatever it asks, since the node may have been restarted', () => {
    expect(checkIn(encoderWith(true).text([EXTEND]))).toBe('c');
    expect(checkIn(encoderWith(false).text([EXTEND]))).toBe('n');
  });

  it('without the text checks the node only for votes', () => {
    const encoder = encoderWith(true);
    expect([[EXTEND], [RELEASE]].map((operations) => checkIn(encoder.wire(operations, 'run')))).toEqual(['n', 'c']);
  });
});

describe('the votes of a call', () => {
  const wordsOf = (...operations: readonly Operation[]): string[] =>
    encoderWith(false)
      .wire(operations, 'run')
      .split('\r\n')
      .filter((word) => !/^[$*]\d+$/.test(word));

  const vote = (value: string, terms: Partial<AcquireOperation> = {}): AcquireOperation => ({
    kind: 'acquire',
    resource: 'a',
    value,
    ttl: 1_000,
    proposal: 5,
    count: 1,
    ...terms,
  });

  const lettersOf = (...operations: readonly Operation[]): string[] =>
    wordsOf(...operations).filter((word) => /^[AaBR]$/.test(word));

  it('name their ttl, proposal and count once', () => {
    expect(lettersOf(vote('p.1'), RELEASE, vote('p.2'))).toEqual(['A', 'R', 'a']);
  });

  it.each([{ ttl: 2_000 }, { proposal: 6 }, { count: 64 }])('name them again if they differ: %j', (terms) => {
    expect(lettersOf(vote('p.1'), vote('p.2', terms), vote('p.3'))).toEqual(['A', 'A', 'A']);
  });

  it('that open a record name them always', () => {
    expect(lettersOf(vote('p.1'), vote('p.2', { opens: { fingerprint: null, ttl: 9 } }), vote('p.3'))).toEqual([
      'A',
      'B',
      'a',
    ]);
  });
});

describe('the number that answers for all operations', () => {
  const answersTo = (reply: unknown, operations: readonly Operation[]) =>
    encoderWith(true)
      .decode(reply, operations)
      .answers.map(({ kind }) => kind);

  it('says that each was done', () => {
    expect(answersTo(CLOCK * CLOCK_FACTOR + 2, [EXTEND, RELEASE])).toEqual(['extended', 'released']);
  });

  it.each([0, 1, CLOCK * CLOCK_FACTOR + 1])('is no answer if it counts other operations: %i', (reply) => {
    expect(answersTo(reply, [EXTEND, RELEASE])).toEqual(['unknown', 'unknown']);
  });
});

describe('the answer that the work of a vote is done', () => {
  it.each([
    ['recorded', { fingerprint: null, ttl: 1_000 }],
    ['unknown', undefined],
  ])('is %s for a vote that opens %j', (kind, opens) => {
    const acquire: Operation = {
      kind: 'acquire',
      resource: 'a',
      value: 'p.1',
      ttl: 1_000,
      proposal: 1,
      count: 1,
      opens,
    };
    expect(encoderWith(true).decode([CLOCK, ['k']], [acquire]).answers).toMatchObject([{ kind }]);
  });
});
