import { beforeEach, describe, expect, it } from '@jest/globals';
import { Validity } from '../../../lib/core/validity.js';
import { Votes } from '../../../lib/core/votes.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('Votes', () => {
  let clock: VirtualClock;
  let votes: Votes;
  const lasting = (ms: number, fence = 1) => ({ validity: new Validity(clock.now(), ms), fence });
  /** Ms that a quorum of the votes is good for. */
  const left = (): number | undefined => votes.quorum(clock)?.remaining(clock);

  beforeEach(() => {
    clock = new VirtualClock();
    votes = new Votes(5);
  });

  it('have no quorum while there are none', () => {
    expect(left()).toBeUndefined();
    expect(votes.has(0)).toBe(false);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 3],
    [7, 4],
  ])('of %i nodes have a quorum with %i', (nodes, quorum) => {
    votes = new Votes(nodes);
    for (let seat = 0; seat < quorum; seat += 1) {
      expect(left()).toBeUndefined();
      votes.grant(seat, lasting(100));
    }
    expect(left()).toBe(100);
  });

  it('count a node once, however often it grants, and with what it granted last', () => {
    for (let round = 0; round < 3; round += 1) votes.grant(0, lasting(100));
    votes.grant(1, lasting(100));
    expect(left()).toBeUndefined();
    votes.grant(2, lasting(100));
    votes.grant(0, lasting(50));
    expect(left()).toBe(50);
  });

  it('are good for as long as the shortest of the best quorum', () => {
    [500, 100, 300, 200, 400].forEach((ms, seat) => votes.grant(seat, lasting(ms)));
    expect(left()).toBe(300);
  });

  it('come from several rounds, each with the time that it was granted for', () => {
    votes.grant(0, lasting(100));
    clock.block(40);
    votes.beginRound();
    votes.grant(1, lasting(100));
    clock.block(40);
    votes.grantMeanwhile(2, lasting(100));
    expect(left()).toBe(20);
    clock.block(30);
    expect(left()).toBe(-10);
  });

  it('are taken away by a node that says no', () => {
    for (const seat of [0, 1, 2]) votes.grant(seat, lasting(100));
    votes.refuse(1, 'held');
    expect([votes.has(1), left()]).toEqual([false, undefined]);
  });

  it('are not taken away by an answer that is older than the grant', () => {
    votes.beginRound();
    for (const seat of [0, 1, 2]) votes.grantMeanwhile(seat, lasting(100));
    votes.refuse(1, 'held');
    expect([votes.has(1), left()]).toEqual([true, 100]);
  });

  it('are taken away by an answer of a later round than the grant', () => {
    for (const seat of [0, 1, 2]) votes.grantMeanwhile(seat, lasting(100));
    votes.beginRound();
    votes.refuse(1, 'held');
    expect(left()).toBeUndefined();
  });

  it('are dropped where a node has lost them, also those that it granted in between', () => {
    votes.beginRound();
    for (const seat of [0, 1, 2]) votes.grantMeanwhile(seat, lasting(100));
    votes.drop(1);
    votes.drop(4);
    expect([votes.has(1), left()]).toEqual([false, undefined]);
    votes.grant(1, lasting(100));
    votes.refuse(1, 'held');
    expect(votes.has(1)).toBe(false);
  });

  it('do not count while it is not known whether they were given away', () => {
    for (const seat of [0, 1, 2]) votes.grant(seat, lasting(100));
    votes.yielding(1);
    expect([votes.has(1), left()]).toEqual([true, undefined]);
    votes.yielded(1, true);
    expect(left()).toBe(100);
  });

  it('are gone where they were given away', () => {
    for (const seat of [0, 1, 2]) votes.grant(seat, lasting(100));
    votes.yielding(1);
    votes.yielded(1, false);
    expect([votes.has(1), left()]).toEqual([false, undefined]);
  });

  it('do not count before the last of several answers is there', () => {
    for (const seat of [0, 1, 2]) votes.grant(seat, lasting(100));
    votes.yielding(1);
    votes.yielding(1);
    votes.yielded(1, true);
    expect(left()).toBeUndefined();
    votes.yielded(1, true);
    expect(left()).toBe(100);
  });

  it('do not count on a node that was granted again while it may give the vote away', () => {
    for (const seat of [0, 1]) votes.grant(seat, lasting(100));
    votes.yielding(2);
    votes.grantMeanwhile(2, lasting(100));
    expect(left()).toBeUndefined();
    votes.yielded(2, true);
    expect(left()).toBe(100);
  });

  it('make up for one that may be given away by another one', () => {
    [500, 400, 300, 200].forEach((ms, seat) => votes.grant(seat, lasting(ms)));
    expect(left()).toBe(300);
    votes.yielding(0);
    expect(left()).toBe(200);
  });

  describe('and their token', () => {
    const token = () => votes.token(clock);
    const grantAll = (...fences: (number | undefined)[]): void =>
      fences.forEach((fence, seat) => fence !== undefined && votes.grant(seat, lasting(100, fence)));

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

    it('stands when those that were behind are lifted', () => {
      grantAll(5, 9, 7);
      expect(votes.below(9, clock)).toEqual([0, 2]);
      votes.raised(0, 9);
      expect([votes.below(9, clock), token()]).toEqual([[2], { token: 9, stands: false }]);
      votes.raised(2, 9);
      expect([votes.below(9, clock), token()]).toEqual([[], { token: 9, stands: true }]);
      votes.raised(0, 5);
      votes.raised(4, 5);
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
});
