import { beforeEach, describe, expect, it } from '@jest/globals';
import { Validity } from '../../../../lib/core/time/validity.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('The token of votes', () => {
  let clock: VirtualClock;
  let votes: Votes;
  const lasting = (ms: number, fence = 1) => ({ validity: new Validity(clock.now(), ms), fence });
  /** Ms that a quorum of the votes is good for. */
  const left = (): number | undefined => votes.quorum(clock)?.remaining(clock);

  beforeEach(() => {
    clock = new VirtualClock();
    votes = new Votes(5);
  });

  const token = () => {
    const found = votes.token(clock);
    return found && { token: found.token, stands: found.stands };
  };
  const grantAll = (...fences: (number | undefined)[]): void =>
    fences.forEach((fence, nodeIndex) => fence !== undefined && votes.grant(nodeIndex, lasting(100, fence)));

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
    votes.grant(1, lasting(100, 8));
    expect(token()).toEqual({ token: 8, stands: false });
  });

  it('is not of votes that have run out', () => {
    votes.grant(0, lasting(50, 9));
    grantAll(undefined, 5, 5, 5);
    clock.block(50);
    expect(token()).toEqual({ token: 5, stands: true });
    votes.refuse(1, 'held');
    expect(token()).toBeUndefined();
  });

  it('is not of votes that may be given away', () => {
    grantAll(9, 5, 5, 5);
    votes.yielding(0);
    expect(token()).toEqual({ token: 5, stands: true });
    votes.yielding(1);
    expect([token(), votes.below(9, clock)]).toEqual([undefined, [2, 3]]);
    votes.yielded(0, true);
    expect(token()).toEqual({ token: 9, stands: false });
  });

  it.each([
    [[64, 64, 64], 64],
    [[64, 1, 64], 1],
    [[64, undefined, 64], 1],
  ])('is the first of as many as came with each of the votes: %j', (tokens, expected) => {
    tokens.forEach((count, nodeIndex) =>
      votes.grant(nodeIndex, { ...lasting(100, 5), ...(count && { tokens: count }) }),
    );
    expect(votes.token(clock)).toEqual({ token: 5, tokens: expected, stands: true });
  });

  it('is the first of as many as those were lifted to that were behind', () => {
    [5, 9, 9].forEach((fence, nodeIndex) => votes.grant(nodeIndex, { ...lasting(100, fence), tokens: 64 }));
    votes.raised(0, { token: 9, tokens: 1 });
    votes.raised(1, { token: 9, tokens: 1 });
    expect(votes.token(clock)).toEqual({ token: 9, tokens: 1, stands: true });
    votes.refuse(0, 'held');
    votes.grant(3, { ...lasting(100, 9), tokens: 64 });
    expect(votes.token(clock)).toEqual({ token: 9, tokens: 64, stands: true });
  });

  it('stands when those that were behind are lifted', () => {
    grantAll(5, 9, 7);
    expect(votes.below(9, clock)).toEqual([0, 2]);
    votes.raised(0, { token: 9, tokens: 1 });
    expect([votes.below(9, clock), token()]).toEqual([[2], { token: 9, stands: false }]);
    votes.raised(2, { token: 9, tokens: 1 });
    expect([votes.below(9, clock), token()]).toEqual([[], { token: 9, stands: true }]);
    votes.raised(0, { token: 5, tokens: 1 });
    votes.raised(4, { token: 5, tokens: 1 });
    expect([token(), votes.has(4), left()]).toEqual([{ token: 9, stands: true }, false, 100]);
  });

  it.each([
    ['all nodes have it', [5, 5, 5, 5, 5], false],
    ['one has not voted', [5, 5, 5, 5], false],
    ['one is ahead', [5, 5, 5, 5, 9], true],
    ['one is behind', [5, 5, 5, 4], true],
  ])('where %s: %j, is known to differ from a counter: %s', (_, fences, differs) => {
    grantAll(...fences);
    expect(votes.differFrom(5)).toBe(differs);
  });
});
