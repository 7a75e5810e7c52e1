import { describe, expect, it, jest } from '@jest/globals';
import type { ReleaseAnswer, Unknown } from '../../../../lib/core/port/lock-node.js';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { giveBackQuestion, giveWayQuestion, rejectVote } from '../../../../lib/core/port/votes-in-doubt.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';

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

describe('giveWayQuestion', () => {
  it('makes its node doubtful until it is answered, for a node may get it behind later questions', () => {
    const claim = new OwnClaim(['a'], 'ours');
    const given = giveWayQuestion({ claim, ttl: 500 }, 2, () => undefined);
    expect([given.claim.place, claim.isDoubtfulAt(2)]).toEqual([undefined, true]);
    given.answer(2, { kind: 'released' });
    expect(claim.isDoubtful).toBe(false);
  });
});

describe('giveBackQuestion', () => {
  it.each<[ReleaseAnswer | Unknown, boolean]>([
    [{ kind: 'released' }, false],
    [{ kind: 'gone' }, false],
    [{ kind: 'unknown', reason: 'broken', sent: true }, true],
    [{ kind: 'unknown', reason: 'down', sent: false }, true],
  ])('makes its node doubtful until it is answered, and for good where that is %j: %s', (answer, doubtful) => {
    const claim = new OwnClaim(['a'], 'ours');
    const returned = giveBackQuestion({ claim, ttl: 500 }, 2);
    expect([claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([true, false]);
    returned.answer(0, answer);
    expect([claim.isDoubtfulAt(2), claim.isDoubtfulAt(0)]).toEqual([doubtful, false]);
  });
});
