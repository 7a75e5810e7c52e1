import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Claim } from '../../../lib/core/port/claim.js';
import { TimersOfTest } from '../../support/timers-of-test.js';
import { OwedReleases } from '../../../lib/redis/owed-releases.js';

describe('OwedReleases', () => {
  let [a, b, c]: Claim[] = [];
  let owed: OwedReleases;
  let obstacle: string | undefined;
  /** What was sent, with the ms that were left. */
  let sent: [string, number][];
  /** Answers all that was sent by an error. */
  const fail = (): void => {
    for (const [value, left] of sent)
      owed.add(
        [a!, b!, c!].find((claim) => claim.value === value)!,
        left,
      );
    sent = [];
  };
  const paid = (): [string, number][] => {
    sent = [];
    owed.pay();
    return sent;
  };

  beforeEach(() => {
    jest.useFakeTimers();
    [a, b, c] = ['a', 'b', 'c'].map((name) => new Claim([name], name));
    [obstacle, sent] = ['it is down', []];
    const node = {
      obstacle: () => obstacle,
      release: ({ value }: Claim, left: number) => void sent.push([value, left]),
    };
    owed = new OwedReleases(node, new TimersOfTest());
  });
  afterEach(() => {
    owed.close();
    jest.useRealTimers();
  });

  it('sends what is owed, with the ms that are left, once', () => {
    owed.add(a!, 1_000);
    owed.add(b!, 5_000);
    jest.advanceTimersByTime(400);
    expect(paid()).toEqual([
      ['a', 600],
      ['b', 4_600],
    ]);
    expect(paid()).toEqual([]);
  });

  it('owes nothing once the lease has ended by itself', () => {
    owed.add(a!, 1_000);
    owed.add(b!, 5_000);
    jest.advanceTimersByTime(1_000);
    expect(paid()).toEqual([['b', 4_000]]);
    expect(owed.size).toBe(1);
  });

  it('owes nothing that has ended, also where it came behind one that lasts longer', () => {
    owed.add(a!, 5_000);
    owed.add(b!, 1_000);
    owed.add(c!, 9_000);
    jest.advanceTimersByTime(2_000);
    expect(paid()).toEqual([
      ['a', 3_000],
      ['c', 7_000],
    ]);
  });

  it('owes it until it succeeds, and no longer', () => {
    owed.add(a!, 1_000);
    owed.add(b!, 1_000);
    owed.pay();
    fail();
    owed.paid(a!);
    expect(paid()).toEqual([['b', 1_000]]);
    owed.paid(b!);
    expect([paid(), owed.size]).toEqual([[], 0]);
  });

  it('owes a release that failed again for what was left, however much a new one would be owed', () => {
    owed.add(a!, 1_000);
    jest.advanceTimersByTime(300);
    owed.pay();
    owed.add(a!, 60_000);
    jest.advanceTimersByTime(300);
    expect(paid()).toEqual([['a', 400]]);
  });

  it('owes one claim once, for the longest that anyone asked for', () => {
    owed.add(a!, 2_000);
    owed.add(a!, 1_000);
    owed.add(b!, 1_000);
    owed.add(b!, 2_000);
    expect(paid()).toEqual([
      ['a', 2_000],
      ['b', 2_000],
    ]);
  });

  it('owes nothing of a claim that never came to the node', () => {
    owed.asked({ claim: a!, isFirst: true }, false);
    owed.asked({ claim: b!, isFirst: true }, true);
    for (const claim of [a!, b!, c!]) owed.add(claim, 1_000);
    expect(paid().map(([value]) => value)).toEqual(['b', 'c']);
  });

  it('owes a claim that a later question brought to the node, though a still later one was not sent', () => {
    owed.asked({ claim: a!, isFirst: true }, false);
    owed.asked({ claim: a! }, true);
    owed.asked({ claim: a! }, false);
    owed.add(a!, 1_000);
    expect(paid()).toEqual([['a', 1_000]]);
  });

  it('owes a claim that the first question brought to the node, though a later one was not sent', () => {
    owed.asked({ claim: a!, isFirst: true }, true);
    owed.asked({ claim: a! }, false);
    owed.add(a!, 1_000);
    expect(paid()).toEqual([['a', 1_000]]);
  });

  describe('to a node that answers with errors', () => {
    /** When, ms from now, something was sent, until then. */
    const timesUntil = (end: number): number[] => {
      const times: number[] = [];
      for (let time = 1; time <= end; time += 1) {
        jest.advanceTimersByTime(1);
        if (sent.length > 0) times.push(time);
        fail();
      }
      return times;
    };

    it('tries again by itself, at growing distances of a second at most, until the lease has ended', () => {
      obstacle = undefined;
      owed.add(a!, 5_000);
      expect(timesUntil(20_000)).toEqual([100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
      expect([owed.size, jest.getTimerCount()]).toEqual([0, 0]);
    });

    it('begins with short distances again once all is settled', () => {
      obstacle = undefined;
      owed.add(a!, 60_000);
      timesUntil(2_000);
      owed.paid(a!);
      jest.advanceTimersByTime(5_000);
      owed.add(b!, 60_000);
      expect(timesUntil(400)).toEqual([100, 300]);
    });

    it('does not try while it is away', () => {
      owed.add(a!, 60_000);
      expect(timesUntil(10_000)).toEqual([]);
      expect(jest.getTimerCount()).toBe(0);
      expect(paid()).toEqual([['a', 50_000]]);
    });

    it('tries nothing once it is closed, also of what fails by that', () => {
      obstacle = undefined;
      owed.add(a!, 60_000);
      owed.close();
      owed.add(b!, 60_000);
      expect([timesUntil(2_000), owed.size, jest.getTimerCount()]).toEqual([[], 0, 0]);
    });
  });

  it('forgets what has ended while the node stays away, so that it does not grow for ever', () => {
    owed.add(a!, 3_600_000);
    const forgotten = Array.from({ length: 999 }, (_, index) => new Claim(['short'], `short-${index}`));
    for (const claim of forgotten.slice(0, -1)) owed.add(claim, 10);
    jest.advanceTimersByTime(20);
    expect(owed.size).toBe(999);
    owed.add(b!, 1_000);
    expect(owed.size).toBe(2);
    expect(paid()).toEqual([
      ['a', 3_599_980],
      ['b', 1_000],
    ]);
  });
});
