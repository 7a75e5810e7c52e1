import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Claim } from '../../../lib/core/claim.js';
import { OwedReleases } from '../../../lib/redis/owed-releases.js';

describe('OwedReleases', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => new Claim([name], name)) as [Claim, Claim, Claim];
  let owed: OwedReleases;
  const taken = () => owed.take().map(([claim, left]) => [claim.value, left]);

  beforeEach(() => {
    jest.useFakeTimers();
    owed = new OwedReleases();
  });
  afterEach(() => void jest.useRealTimers());

  it('hands out what is owed, with the ms that are left, once', () => {
    owed.add(a, 1_000);
    owed.add(b, 5_000);
    jest.advanceTimersByTime(400);
    expect(taken()).toEqual([
      ['a', 600],
      ['b', 4_600],
    ]);
    expect(taken()).toEqual([]);
  });

  it('owes nothing once the lease has ended by itself', () => {
    owed.add(a, 1_000);
    owed.add(b, 5_000);
    jest.advanceTimersByTime(1_000);
    expect(taken()).toEqual([['b', 4_000]]);
  });

  it('owes nothing that has ended, also where it came behind one that lasts longer', () => {
    owed.add(a, 5_000);
    owed.add(b, 1_000);
    owed.add(c, 9_000);
    jest.advanceTimersByTime(2_000);
    expect(taken()).toEqual([
      ['a', 3_000],
      ['c', 7_000],
    ]);
  });

  it('owes a release that failed again for what was left', () => {
    owed.add(a, 1_000);
    jest.advanceTimersByTime(300);
    for (const [claim, left] of owed.take()) owed.add(claim, left);
    jest.advanceTimersByTime(300);
    expect(taken()).toEqual([['a', 400]]);
  });

  it('owes one claim once', () => {
    owed.add(a, 1_000);
    owed.add(a, 2_000);
    expect(taken()).toEqual([['a', 2_000]]);
  });

  it('forgets what has ended while the node stays away, so that it does not grow for ever', () => {
    owed.add(a, 3_600_000);
    const forgotten = Array.from({ length: 999 }, (_, index) => new Claim(['short'], `short-${index}`));
    for (const claim of forgotten.slice(0, -1)) owed.add(claim, 10);
    jest.advanceTimersByTime(20);
    expect(owed.size).toBe(999);
    owed.add(b, 1_000);
    expect(owed.size).toBe(2);
    expect(taken()).toEqual([
      ['a', 3_599_980],
      ['b', 1_000],
    ]);
  });
});
