import { beforeEach, describe, expect, it } from '@jest/globals';
import { BallotBox } from '../../../support/ballot-box.js';

describe('The token of votes', () => {
  let box: BallotBox;

  beforeEach(() => {
    box = new BallotBox();
  });

  const token = () => {
    const found = box.votes.token(box.clock);
    return found && { token: found.token, stands: found.stands };
  };
  const grantAll = (...fences: (number | undefined)[]): void =>
    fences.forEach((fence, nodeIndex) => fence !== undefined && box.grant(nodeIndex, 100, fence));

  it.each([
    ['none without a quorum', [5, 5], undefined],
    ['what a bare quorum agrees on', [5, 5, 5], { token: 5, stands: true }],
    ['the greatest of a bare quorum, which does not stand', [5, 9, 5], { token: 9, stands: false }],
    ['what a quorum does not exceed', [5, 9, 5, 5], { token: 5, stands: true }],
    ['the one in the middle of all', [1, 2, 3, 4, 5], { token: 3, stands: true }],
  ])('is %s', (_, fences, expected) => {
    grantAll(...fences);
    expect(token()).toEqual(expected);
  });

  it('is of the latest grant of each node', () => {
    grantAll(5, 5, 5);
    box.grant(1, 100, 8);
    expect(token()).toEqual({ token: 8, stands: false });
  });

  it('is not of votes that have run out', () => {
    box.grant(0, 50, 9);
    grantAll(undefined, 5, 5, 5);
    box.clock.block(50);
    expect(token()).toEqual({ token: 5, stands: true });
    box.votes.refuse(1, 'held');
    expect(token()).toBeUndefined();
  });

  it('is not of votes that may be given away', () => {
    grantAll(9, 5, 5, 5);
    box.votes.givingAway(0);
    expect(token()).toEqual({ token: 5, stands: true });
    box.votes.givingAway(1);
    expect([token(), box.votes.below(9, box.clock)]).toEqual([undefined, [2, 3]]);
    box.votes.kept(0);
    expect(token()).toEqual({ token: 9, stands: false });
  });

  it.each([
    [[64, 64, 64], 64],
    [[64, 1, 64], 1],
    [[64, undefined, 64], 1],
  ])('is the first of as many as came with each of the votes: %j', (tokens, expected) => {
    tokens.forEach((count, nodeIndex) =>
      box.votes.grant(nodeIndex, { ...box.lasting(100, 5), ...(count && { tokens: count }) }),
    );
    expect(box.votes.token(box.clock)).toEqual({ token: 5, tokens: expected, stands: true });
  });

  it('is the first of as many as those were lifted to that were behind', () => {
    [5, 9, 9].forEach((fence, nodeIndex) => box.votes.grant(nodeIndex, { ...box.lasting(100, fence), tokens: 64 }));
    box.votes.raised(0, { token: 9, tokens: 1 });
    box.votes.raised(1, { token: 9, tokens: 1 });
    expect(box.votes.token(box.clock)).toEqual({ token: 9, tokens: 1, stands: true });
    box.votes.refuse(0, 'held');
    box.votes.grant(3, { ...box.lasting(100, 9), tokens: 64 });
    expect(box.votes.token(box.clock)).toEqual({ token: 9, tokens: 64, stands: true });
  });

  it('stands when those that were behind are lifted', () => {
    grantAll(5, 9, 7);
    expect(box.votes.below(9, box.clock)).toEqual([0, 2]);
    box.votes.raised(0, { token: 9, tokens: 1 });
    expect([box.votes.below(9, box.clock), token()]).toEqual([[2], { token: 9, stands: false }]);
    box.votes.raised(2, { token: 9, tokens: 1 });
    expect([box.votes.below(9, box.clock), token()]).toEqual([[], { token: 9, stands: true }]);
    box.votes.raised(0, { token: 5, tokens: 1 });
    box.votes.raised(4, { token: 5, tokens: 1 });
    expect([token(), box.votes.has(4), box.left]).toEqual([{ token: 9, stands: true }, false, 100]);
  });

  it.each([
    ['all nodes have it', [5, 5, 5, 5, 5], false],
    ['one has not voted', [5, 5, 5, 5], false],
    ['one is ahead', [5, 5, 5, 5, 9], true],
    ['one is behind', [5, 5, 5, 4], true],
  ])('where %s: %j, is known to differ from a counter: %s', (_, fences, differs) => {
    grantAll(...fences);
    expect(box.votes.differFrom(5)).toBe(differs);
  });
});
