import { describe, expect, it } from '@jest/globals';
import { holdTermsOf } from '../../../../lib/core/lease/renewal.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../../lib/core/api/options.js';

describe('holdTermsOf', () => {
  it('are the options themselves where there is no signal, so that locks can share them', () => {
    expect(holdTermsOf(DEFAULT_LOCK_OPTIONS)).toBe(DEFAULT_LOCK_OPTIONS);
  });

  it('leave out what ended the wait, which may keep much alive', () => {
    const { signal } = new AbortController();
    const { ttl, driftFactor, autoExtend, maxHold } = DEFAULT_LOCK_OPTIONS;
    expect(holdTermsOf({ ...DEFAULT_LOCK_OPTIONS, minHold: 5, signal })).toEqual({
      ttl,
      driftFactor,
      autoExtend,
      maxHold,
      minHold: 5,
    });
  });
});
