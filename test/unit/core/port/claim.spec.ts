import { describe, expect, it } from '@jest/globals';
import { Claim } from '../../../../lib/core/port/claim.js';

describe('Claim', () => {
  const nodeA = {};
  const nodeB = {};

  it('may be on every node that nothing is known of', () => {
    expect(new Claim(['a'], 'v').mayBeOn(nodeA)).toBe(true);
  });

  it('is not on a node that it was never sent to', () => {
    const claim = new Claim(['a'], 'v');
    claim.noteSent(nodeA, false);
    expect([claim.mayBeOn(nodeA), claim.mayBeOn(nodeB)]).toEqual([false, true]);
  });

  it('may be on a node that a later command reached', () => {
    const claim = new Claim(['a'], 'v');
    claim.noteSent(nodeA, false);
    claim.noteSent(nodeA, true);
    expect(claim.mayBeOn(nodeA)).toBe(true);
  });

  it('may still be on a node that it reached before, though a later command did not', () => {
    const claim = new Claim(['a', 'b'], 'v');
    claim.noteSent(nodeA, true);
    claim.asked();
    claim.noteSent(nodeA, false);
    expect(claim.mayBeOn(nodeA)).toBe(true);
  });

  it('may be on a node that a later command reached, though a still later one did not', () => {
    const claim = new Claim(['a'], 'v');
    claim.noteSent(nodeA, false);
    claim.asked();
    claim.noteSent(nodeA, true);
    claim.noteSent(nodeA, false);
    expect(claim.mayBeOn(nodeA)).toBe(true);
  });

  it('is doubtful on a node until every command is answered that may give it away', () => {
    const claim = new Claim(['a'], 'v');
    claim.doubt(1);
    claim.doubt(1);
    claim.resolveDoubt(1);
    expect([claim.isDoubtful(1), claim.isDoubtful(0), claim.spoiled]).toEqual([true, false, true]);
    claim.resolveDoubt(1);
    expect([claim.isDoubtful(1), claim.spoiled]).toEqual([false, false]);
  });

  it('is followed by nobody unless it is said so', () => {
    expect(new Claim(['a'], 'v').followed).toBe(false);
  });
});
