import { beforeEach, describe, expect, it } from '@jest/globals';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import { agreeByVotes } from '../../../../lib/core/quorum/fencing-agreement.js';
import { Validity } from '../../../../lib/core/time/validity.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('agreeByVotes', () => {
  const clock = new VirtualClock();
  const validity = Validity.of(clock.now(), 1_000, 0);
  let votes: Votes;
  let claim: OwnClaim;

  beforeEach(() => {
    votes = new Votes(3);
    claim = new OwnClaim(['a'], 'v');
  });

  it('gives the claim nothing where no token stands', () => {
    [5, 7].forEach((fence, nodeIndex) => votes.grant(nodeIndex, { validity, fence, oldest: 30 }));
    expect(agreeByVotes(claim, votes, clock)).toBe(false);
    expect(claim).toMatchObject({ token: 0, isDiverged: false, oldest: 0 });
  });

  it.each([
    ['all of them are at the token', [5, 5, 5], { token: 5, isDiverged: false }],
    ['one is above it', [5, 9, 5], { token: 5, isDiverged: true }],
    ['one is below it', [9, 9, 5], { token: 9, isDiverged: true }],
  ])('gives it the token of the votes, and says whether %s', (_, fences, settled) => {
    fences.forEach((fence, nodeIndex) => votes.grant(nodeIndex, { validity, fence, oldest: 30 + nodeIndex }));
    expect(agreeByVotes(claim, votes, clock)).toBe(true);
    expect(claim).toMatchObject({ ...settled, oldest: 30 });
  });

  it('gives it as many tokens as came with each of the votes, whatever it asked for', () => {
    for (const tokens of [64, 64, 1]) {
      votes.grant(tokens === 1 ? 0 : 1, { validity, fence: 5, tokens });
      votes.grant(2, { validity, fence: 5, tokens: 64 });
      expect([agreeByVotes(claim, votes, clock), claim.tokens]).toEqual([true, tokens]);
    }
  });

  it('does not know the oldest waiter when a vote does not tell it', () => {
    [30, undefined, 40].forEach((oldest, nodeIndex) => votes.grant(nodeIndex, { validity, fence: 5, oldest }));
    expect([agreeByVotes(claim, votes, clock), claim.oldest]).toEqual([true, 0]);
  });
});
