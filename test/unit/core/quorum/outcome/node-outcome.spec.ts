import { describe, expect, it } from '@jest/globals';
import type { NodeOutcome } from '../../../../../lib/core/api/errors.js';
import type { AcquireAnswer, ExtendAnswer } from '../../../../../lib/core/port/lock-node.js';
import { outcomesOf, whyUnavailable } from '../../../../../lib/core/quorum/outcome/node-outcome.js';

describe('outcomesOf', () => {
  it.each<[AcquireAnswer | ExtendAnswer | undefined, Omit<NodeOutcome, 'node'>]>([
    [{ kind: 'granted', fence: 7 }, { outcome: 'granted' }],
    [
      { kind: 'held', remaining: 900, owner: 'x' },
      { outcome: 'held', detail: '900 ms left' },
    ],
    [
      { kind: 'quarantined', remaining: 900 },
      { outcome: 'quarantined', detail: '900 ms left' },
    ],
    [{ kind: 'missing' }, { outcome: 'missing' }],
    [
      { kind: 'unknown', reason: 'connection closed', sent: true },
      { outcome: 'unknown', detail: 'connection closed' },
    ],
    [
      { kind: 'unknown', reason: 'READONLY You cannot', sent: true, refused: true },
      { outcome: 'refused', detail: 'READONLY You cannot' },
    ],
    [undefined, { outcome: 'pending', detail: 'not waited for' }],
  ])('of %j is %j', (answer, outcome) => {
    expect(outcomesOf({ nodes: [{ name: 'n' }], answers: [answer] })).toEqual([{ node: 'n', ...outcome }]);
  });
});

describe('whyUnavailable', () => {
  const why = (...outcomes: NodeOutcome['outcome'][]): string =>
    whyUnavailable(outcomes.map((outcome) => ({ node: 'n', outcome })));

  it('says that nodes refuse, where some do, and how many', () => {
    expect(why('refused', 'refused', 'pending')).toBe('2 of 3 nodes refuse to vote');
    expect(why('refused', 'unknown', 'granted')).toBe('1 of 3 nodes refuse to vote, and of 1 there is no answer');
  });

  it('says that too few answered only where none refuses', () => {
    expect(why('unknown', 'unknown', 'granted')).toBe('too few nodes answered');
  });
});
