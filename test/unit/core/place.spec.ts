import { describe, expect, it } from '@jest/globals';
import { Place } from '../../../lib/core/place.js';

describe('Place', () => {
  const since = { monotonic: 5, wall: 1_005 };
  const told: unknown[] = [];
  const place = () => {
    told.length = 0;
    return new Place(1_000, 500, { granted: (node, moment) => told.push([node, moment]) });
  };

  it('is known by the time of arrival, and kept for a grace', () => {
    expect(place()).toMatchObject({ arrived: 1_000, grace: 500 });
  });

  it('tells the waiter of every grant', () => {
    const one = place();
    one.granted('node-1', since);
    one.granted('node-2', since);
    expect(told).toEqual([
      ['node-1', since],
      ['node-2', since],
    ]);
  });

  it('tells nobody once the waiter has left', () => {
    const one = place();
    one.leave();
    one.granted('node-1', since);
    expect(told).toEqual([]);
  });
});
