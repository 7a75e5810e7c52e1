import { beforeEach, describe, expect, it } from '@jest/globals';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';

describe('OwnClaim', () => {
  let claim: OwnClaim;

  beforeEach(() => {
    claim = new OwnClaim(['a'], 'v');
  });

  it('is doubtful on a node until every command is answered that may give it away', () => {
    claim.doubt(1);
    claim.doubt(1);
    claim.resolveDoubt(1);
    expect([claim.isDoubtfulAt(1), claim.isDoubtfulAt(0), claim.isDoubtful]).toEqual([true, false, true]);
    claim.resolveDoubt(1);
    expect([claim.isDoubtfulAt(1), claim.isDoubtful]).toEqual([false, false]);
  });

  it('tells its place of each doubt, so that the votes of the node stop counting', () => {
    const told: number[] = [];
    const doubted = (nodeIndex: number) => void told.push(nodeIndex);
    const place = { arrived: 1, ttl: 500, isWaiting: true, granted: () => undefined, doubted };
    const waits = new OwnClaim(['a'], 'v', place);
    waits.doubt(1);
    waits.doubt(2);
    expect(told).toEqual([1, 2]);
  });

  it('is doubtful on a node on which one of its merged claims is, but not as a whole', () => {
    const merged = OwnClaim.merging([claim, new OwnClaim(['b'], 'v')], { resources: ['a', 'b'], value: 'v' });
    claim.doubt(1);
    expect([merged.isDoubtfulAt(1), merged.isDoubtfulAt(0), merged.isDoubtful]).toEqual([true, false, false]);
  });

  it('shares its doubts with the next claim of the same value, until they are resolved', () => {
    const next = OwnClaim.merging([], { resources: ['a'], value: 'v', former: claim });
    claim.doubt(1);
    expect([next.isDoubtfulAt(1), next.isDoubtful]).toEqual([true, true]);
    claim.resolveDoubt(1);
    expect(next.isDoubtful).toBe(false);
  });

  it('is decided once it has a token, or does not wait any more', () => {
    const place = { arrived: 1, ttl: 500, isWaiting: true, granted: () => undefined };
    const waits = new OwnClaim(['a'], 'v', place);
    expect([claim.mustKeepVotes, waits.mustKeepVotes]).toEqual([false, false]);
    claim.agree(7);
    place.isWaiting = false;
    expect([claim.mustKeepVotes, waits.mustKeepVotes]).toEqual([true, true]);
  });

  it('asks for as many tokens as its place says, and for one without a place', () => {
    const place = { arrived: 1, ttl: 500, tokens: 64, isWaiting: true, granted: () => undefined };
    expect([claim.tokens, new OwnClaim(['a'], 'v', place).tokens]).toEqual([1, 64]);
  });

  it('is not over before it is finished', () => {
    expect(claim.isOver).toBe(false);
    claim.finish();
    expect(claim.isOver).toBe(true);
  });
});
