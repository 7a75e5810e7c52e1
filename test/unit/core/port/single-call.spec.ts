import { describe, expect, it, jest } from '@jest/globals';
import { SingleCall, questionToGiveWay, questionToReturn, rejectVote } from '../../../../lib/core/port/single-call.js';
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

describe('rejectVote', () => {
  const waiting = { arrived: 1, ttl: 500, isWaiting: true, granted: () => undefined };
  const withToken = new OwnClaim(['a'], 'ours');
  withToken.agree(7);

  it.each([
    ['that has no place in line', new OwnClaim(['a'], 'ours'), 1],
    ['that waits', new OwnClaim(['a'], 'ours', waiting), 1],
    ['whose wait is over', new OwnClaim(['a'], 'ours', { ...waiting, isWaiting: false }), 0],
    ['that has its lock', withToken, 0],
  ])('counts no vote of the node for a claim %s, and gives it back where nothing is decided', (_case, claim, times) => {
    const release = jest.fn();
    rejectVote({ release }, new SingleCall(claim, 500), 2);
    expect([release.mock.calls.length, claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([times, true, false]);
  });
});

describe('questionToGiveWay', () => {
  it('makes its node doubtful until it is answered, for a node may get it behind later questions', () => {
    const claim = new OwnClaim(['a'], 'ours');
    const given = questionToGiveWay({ claim, ttl: 500 }, 2, () => undefined);
    expect([given.claim.place, claim.isDoubtfulAt(2)]).toEqual([undefined, true]);
    given.answer(2, { kind: 'released' });
    expect(claim.isDoubtful).toBe(false);
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
    const returned = questionToReturn({ claim, ttl: 500 }, 2);
    expect([claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([true, false]);
    returned.answer(0, answer);
    expect([claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([doubtful, false]);
  });
});
