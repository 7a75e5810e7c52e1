import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LOCK_OPTIONS } from '../../../../lib/core/api/options.js';
import { endingOf } from '../../../../lib/core/lease/release.js';

const SINCE = { monotonic: 1_000, wall: 50_000 };
const { ttl } = DEFAULT_LOCK_OPTIONS;
const ended = {
  terms: DEFAULT_LOCK_OPTIONS,
  ttl,
  longestTtl: ttl,
  taken: SINCE,
  now: { monotonic: 1_030.5, wall: 0 },
};

describe('endingOf', () => {
  it('passes the claim on if the next caller may have it', () => {
    expect(endingOf(ended, 'may have it')).toEqual({ kind: 'pass' });
  });

  it.each(['nobody', 'waits'] as const)('gives the claim back if %s', (successor) => {
    expect(endingOf(ended, successor)).toEqual({ kind: 'give back' });
  });

  it('passes no lock on that was extended to another ttl', () => {
    expect(endingOf({ ...ended, ttl: ttl + 1 }, 'may have it')).toEqual({ kind: 'give back' });
  });

  it('passes no lock on that was extended for longer, and then to its ttl again: the nodes keep the longer lease', () => {
    expect(endingOf({ ...ended, longestTtl: ttl + 1 }, 'may have it')).toEqual({ kind: 'give back' });
  });

  it.each([
    [31, { kind: 'keep', remaining: 1 }],
    [30, { kind: 'give back' }],
  ])('keeps the claim until a minHold of %i ms is over, whichever caller is next', (minHold, ending) => {
    const terms = { ...DEFAULT_LOCK_OPTIONS, minHold };
    expect(endingOf({ ...ended, terms }, 'may have it')).toEqual(ending);
  });
});
