import { describe, expect, it } from '@jest/globals';
import { SingleCall, mayReturn, questionToReturn } from '../../../../lib/core/port/single-call.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import type { ReleaseAnswer, Unknown } from '../../../../lib/core/port/lock-node.js';

describe('SingleCall', () => {
  const claim = new OwnClaim(['a'], 'ours');

  it('asks for a claim and a ttl', () => {
    const aside = new SingleCall(claim, 1_000);
    expect([aside.claim, aside.ttl]).toEqual([claim, 1_000]);
  });

  it('hands on the answer, whatever the index', () => {
    const answers: unknown[] = [];
    const aside = new SingleCall<ReleaseAnswer>(claim, 1_000, (answer) => answers.push(answer));
    aside.answer(4, { kind: 'released' });
    expect(answers).toEqual([{ kind: 'released' }]);
  });

  it('may be of no interest once it is answered', () => {
    expect(() => new SingleCall<ReleaseAnswer>(claim, 1_000).answer(0, { kind: 'gone' })).not.toThrow();
  });
});

describe('mayReturn', () => {
  const waiting = { arrived: 1, ttl: 500, isWaiting: true, granted: () => undefined };

  it.each([
    ['that has no place in line', undefined, true],
    ['that waits', waiting, true],
    ['whose wait is over: it may have its lock', { ...waiting, isWaiting: false }, false],
  ])('of a claim %s', (_case, place, expected) => {
    expect(mayReturn(new OwnClaim(['a'], 'ours', place))).toBe(expected);
  });
});

describe('questionToReturn', () => {
  it.each<[ReleaseAnswer | Unknown, boolean]>([
    [{ kind: 'released' }, false],
    [{ kind: 'gone' }, false],
    [{ kind: 'unknown', reason: 'broken', sent: true }, true],
    [{ kind: 'unknown', reason: 'down', sent: false }, true],
  ])('makes its node doubtful until it is answered, and for good where that is %j: %s', (answer, doubtful) => {
    const claim = new OwnClaim(['a'], 'ours');
    const returned = questionToReturn(claim, 500, 2);
    expect([claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([true, false]);
    returned.answer(0, answer);
    expect([claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([doubtful, false]);
  });
});
