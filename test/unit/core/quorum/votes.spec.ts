import { beforeEach, describe, expect, it } from '@jest/globals';
import { Validity } from '../../../../lib/core/time/validity.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

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
    for (let nodeIndex = 0; nodeIndex < quorum; nodeIndex += 1) {
      expect(left()).toBeUndefined();
      votes.grant(nodeIndex, lasting(100));
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
    [500, 100, 300, 200, 400].forEach((ms, nodeIndex) => votes.grant(nodeIndex, lasting(ms)));
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
    for (const nodeIndex of [0, 1, 2]) votes.grant(nodeIndex, lasting(100));
    votes.refuse(1, 'held');
    expect([votes.has(1), left()]).toEqual([false, undefined]);
  });

  it('are not taken away by an answer that is older than the grant', () => {
    votes.beginRound();
    for (const nodeIndex of [0, 1, 2]) votes.grantMeanwhile(nodeIndex, lasting(100));
    votes.refuse(1, 'held');
    expect([votes.has(1), left()]).toEqual([true, 100]);
  });

  it('are taken away by an answer of a later round than the grant', () => {
    for (const nodeIndex of [0, 1, 2]) votes.grantMeanwhile(nodeIndex, lasting(100));
    votes.beginRound();
    votes.refuse(1, 'held');
    expect(left()).toBeUndefined();
  });

  it('are dropped where a node has lost them, also those that it granted in between', () => {
    votes.beginRound();
    for (const nodeIndex of [0, 1, 2]) votes.grantMeanwhile(nodeIndex, lasting(100));
    votes.drop(1);
    votes.drop(4);
    expect([votes.has(1), left()]).toEqual([false, undefined]);
    votes.grant(1, lasting(100));
    votes.refuse(1, 'held');
    expect(votes.has(1)).toBe(false);
  });

  it('do not count while it is not known whether they were given away', () => {
    for (const nodeIndex of [0, 1, 2]) votes.grant(nodeIndex, lasting(100));
    votes.yielding(1);
    expect([votes.has(1), left()]).toEqual([true, undefined]);
    votes.yielded(1, true);
    expect(left()).toBe(100);
  });

  it('are gone where they were given away', () => {
    for (const nodeIndex of [0, 1, 2]) votes.grant(nodeIndex, lasting(100));
    votes.yielding(1);
    votes.yielded(1, false);
    expect([votes.has(1), left()]).toEqual([false, undefined]);
  });

  it('do not count before the last of several answers is there', () => {
    for (const nodeIndex of [0, 1, 2]) votes.grant(nodeIndex, lasting(100));
    votes.yielding(1);
    votes.yielding(1);
    votes.yielded(1, true);
    expect(left()).toBeUndefined();
    votes.yielded(1, true);
    expect(left()).toBe(100);
  });

  it('do not count on a node that was granted again while it may give the vote away', () => {
    for (const nodeIndex of [0, 1]) votes.grant(nodeIndex, lasting(100));
    votes.yielding(2);
    votes.grantMeanwhile(2, lasting(100));
    expect(left()).toBeUndefined();
    votes.yielded(2, true);
    expect(left()).toBe(100);
  });

  it('make up for one that may be given away by another one', () => {
    [500, 400, 300, 200].forEach((ms, nodeIndex) => votes.grant(nodeIndex, lasting(ms)));
    expect(left()).toBe(300);
    votes.yielding(0);
    expect(left()).toBe(200);
  });
});
