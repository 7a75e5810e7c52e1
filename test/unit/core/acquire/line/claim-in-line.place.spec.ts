import { describe, expect, it } from '@jest/globals';
import { OwnPlace } from '../../../../../lib/core/acquire/line/claim-in-line.js';

describe('OwnPlace', () => {
  const grant = { since: { monotonic: 5, wall: 1_005 }, fence: 7 };
  const told: unknown[] = [];
  const place = () => {
    told.length = 0;
    return new OwnPlace(
      { date: 1_007.9, monotonic: 35.2, ttl: 500, tokens: 1 },
      { granted: (node, given) => told.push([node, given]), doubted: (nodeIndex) => told.push(nodeIndex) },
    );
  };

  it('has its time of arrival on the clocks of the nodes and on the monotonic clock, in whole ms', () => {
    expect(place()).toMatchObject({ arrived: 1_007_000, arrivedMonotonic: 32_000, ttl: 500 });
  });

  it('tells the waiter of every grant', () => {
    const one = place();
    one.granted('node-1', grant);
    one.granted('node-2', grant);
    expect(told).toEqual([
      ['node-1', grant],
      ['node-2', grant],
    ]);
  });

  it('tells the waiter which vote no longer counts', () => {
    place().doubted(2);
    expect(told).toEqual([2]);
  });

  it('tells nobody once the waiter has left', () => {
    const one = place();
    one.stopWaiting();
    one.granted('node-1', grant);
    one.doubted(2);
    expect(told).toEqual([]);
  });
});
