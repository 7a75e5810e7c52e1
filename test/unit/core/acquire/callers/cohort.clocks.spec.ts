import { describe, expect, it } from '@jest/globals';
import type { Moment } from '../../../../../lib/core/time/clock.js';
import type { AcquireRequest } from '../../../../../lib/core/acquire/request.js';
import { mayPass } from '../../../../../lib/core/acquire/callers/cohort.js';
import { OwnClaim } from '../../../../../lib/core/quorum/own-claim.js';
import type { Won } from '../../../../../lib/core/quorum/outcome/outcome.js';
import { Validity } from '../../../../../lib/core/time/validity.js';

const TERMS = { ttl: 1_000, driftFactor: 0.01 };
/** Ms on the monotonic clock when the lock was taken. */
const TAKEN = 5_000;
const now = { monotonic: TAKEN + 10, wall: 777 };

describe('passing a lock on where the clocks of the nodes are not ours', () => {
  /**
   * Whether a caller that came at `arrived` may get the lock from its process though another process came at `oldest`,
   * ms on the nodes.
   */
  const passes = (arrived: number, oldest: number, clockAhead: number): boolean => {
    const firstTaken = { monotonic: TAKEN, wall: 123 };
    const claim = new OwnClaim(['a'], 'value');
    claim.agreeOn({ token: 1, tokens: 64, oldest: oldest * 1_000, isDiverged: false });
    const won: Required<Won> = {
      kind: 'won',
      claim,
      validity: Validity.of(now, TERMS.ttl, TERMS.driftFactor),
      passes: 0,
      firstTaken,
    };
    const budget = { arrived, arrival: { monotonic: arrived, wall: 99 } };
    const pool = { dateOf: ({ monotonic }: Moment): number => monotonic + clockAhead };
    return mayPass(won, { terms: TERMS, budget } as AcquireRequest, { now, pool });
  };

  it.each([1_700_000_000_000, 1_700_000_000_900, -4_000])(
    'compares dates on the clock of the nodes, which is %d ms ahead',
    (ahead) => {
      const oldest = TAKEN + 2 + ahead;
      expect([1, 2, 3].map((ms) => passes(TAKEN + ms, oldest, ahead))).toEqual([true, true, false]);
    },
  );

  it('passes the lock on when no other process waits, whatever the clocks of the nodes say', () => {
    expect([-1e15, 0, 1e15].map((ahead) => passes(TAKEN + 1, Infinity, ahead))).toEqual([true, true, true]);
  });

  it('uses the monotonic clock, which cannot be set, for times of this process alone', () => {
    expect([5, 6].map((ms) => passes(TAKEN + ms, Infinity, 0))).toEqual([true, false]);
  });
});
