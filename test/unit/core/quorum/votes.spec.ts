import { beforeEach, describe, expect, it } from '@jest/globals';
import { BallotBox, QUORUMS } from '../../../support/ballot-box.js';

describe('Votes', () => {
  let box: BallotBox;

  beforeEach(() => {
    box = new BallotBox();
  });

  it('have no quorum while there are none', () => {
    expect(box.left).toBeUndefined();
    expect(box.votes.has(0)).toBe(false);
  });

  it.each(QUORUMS)('of %i nodes have a quorum with %i', (nodes, quorum) => {
    box = new BallotBox(nodes);
    for (let nodeIndex = 0; nodeIndex < quorum; nodeIndex += 1) {
      expect(box.left).toBeUndefined();
      box.grant(nodeIndex, 100);
    }
    expect(box.left).toBe(100);
  });

  it('count a node once, however often it grants, and with what it granted last', () => {
    for (let round = 0; round < 3; round += 1) box.grant(0, 100);
    box.grant(1, 100);
    expect(box.left).toBeUndefined();
    box.grant(2, 100);
    box.grant(0, 50);
    expect(box.left).toBe(50);
  });

  it('are good for as long as the shortest of the best quorum', () => {
    [500, 100, 300, 200, 400].forEach((ms, nodeIndex) => box.grant(nodeIndex, ms));
    expect(box.left).toBe(300);
  });

  it('come from several rounds, each with the time that it was granted for', () => {
    box.grant(0, 100);
    box.clock.block(40);
    box.votes.beginRound();
    box.grant(1, 100);
    box.clock.block(40);
    box.votes.grantMeanwhile(2, box.lasting(100));
    expect(box.left).toBe(20);
    box.clock.block(30);
    expect(box.left).toBe(-10);
  });

  it('are taken away by a node that says no', () => {
    for (const nodeIndex of [0, 1, 2]) box.grant(nodeIndex, 100);
    box.votes.refuse(1, 'held');
    expect([box.votes.has(1), box.left]).toEqual([false, undefined]);
  });

  it('are not taken away by an answer that is older than the grant', () => {
    box.votes.beginRound();
    for (const nodeIndex of [0, 1, 2]) box.votes.grantMeanwhile(nodeIndex, box.lasting(100));
    box.votes.refuse(1, 'held');
    expect([box.votes.has(1), box.left]).toEqual([true, 100]);
  });

  it('are taken away by an answer of a later round than the grant', () => {
    for (const nodeIndex of [0, 1, 2]) box.votes.grantMeanwhile(nodeIndex, box.lasting(100));
    box.votes.beginRound();
    box.votes.refuse(1, 'held');
    expect(box.left).toBeUndefined();
  });

  it('are dropped where a node has lost them, also those that it granted in between', () => {
    box.votes.beginRound();
    for (const nodeIndex of [0, 1, 2]) box.votes.grantMeanwhile(nodeIndex, box.lasting(100));
    box.votes.drop(1);
    box.votes.drop(4);
    expect([box.votes.has(1), box.left]).toEqual([false, undefined]);
    box.grant(1, 100);
    box.votes.refuse(1, 'held');
    expect(box.votes.has(1)).toBe(false);
  });

  it('do not count while it is not known whether they were given away', () => {
    for (const nodeIndex of [0, 1, 2]) box.grant(nodeIndex, 100);
    box.votes.givingAway(1);
    expect([box.votes.has(1), box.left]).toEqual([true, undefined]);
    box.votes.kept(1);
    expect(box.left).toBe(100);
  });

  it('are gone where they were given away', () => {
    for (const nodeIndex of [0, 1, 2]) box.grant(nodeIndex, 100);
    box.votes.givingAway(1);
    box.votes.gaveAway(1);
    expect([box.votes.has(1), box.left]).toEqual([false, undefined]);
  });

  it('do not count before the last of several answers is there', () => {
    for (const nodeIndex of [0, 1, 2]) box.grant(nodeIndex, 100);
    box.votes.givingAway(1);
    box.votes.givingAway(1);
    box.votes.kept(1);
    expect(box.left).toBeUndefined();
    box.votes.kept(1);
    expect(box.left).toBe(100);
  });

  it('do not count on a node that was granted again while it may give the vote away', () => {
    for (const nodeIndex of [0, 1]) box.grant(nodeIndex, 100);
    box.votes.givingAway(2);
    box.votes.grantMeanwhile(2, box.lasting(100));
    expect(box.left).toBeUndefined();
    box.votes.kept(2);
    expect(box.left).toBe(100);
  });

  it('replace a vote that may be given away by another vote', () => {
    [500, 400, 300, 200].forEach((ms, nodeIndex) => box.grant(nodeIndex, ms));
    expect(box.left).toBe(300);
    box.votes.givingAway(0);
    expect(box.left).toBe(200);
  });
});
