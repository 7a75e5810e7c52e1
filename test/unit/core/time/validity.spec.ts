import { describe, expect, it } from '@jest/globals';
import { driftOf, Validity } from '../../../../lib/core/time/validity.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('driftOf', () => {
  it.each([
    [10_000, 0.01, 102],
    [1_000, 0.01, 12],
    [150, 0.01, 4],
    [1, 0.01, 3],
    [10_000, 0, 2],
    [10_000, 0.5, 5_002],
  ])('of %i ms at a factor of %d is %i ms', (ttl, factor, drift) => {
    expect(driftOf(ttl, factor)).toBe(drift);
  });
});

describe('Validity', () => {
  const remainingAfter = (pass: (clock: VirtualClock) => void): number => {
    const clock = new VirtualClock();
    const validity = Validity.of(clock.now(), 1_000, 0.01);
    pass(clock);
    return validity.remaining(clock);
  };

  it('is the ttl without the drift at first', () => {
    expect(remainingAfter(() => undefined)).toBe(988);
  });

  it('shrinks with the time that has passed', () => {
    expect(remainingAfter((clock) => clock.block(300))).toBe(688);
  });

  it('is negative once the lease is over', () => {
    expect(remainingAfter((clock) => clock.block(1_000))).toBe(-12);
  });

  it('counts the time for which the machine was suspended', () => {
    expect(remainingAfter((clock) => clock.suspend(5_000))).toBe(-4_012);
  });

  it('is not made longer by a wall clock that is set back', () => {
    const passed = remainingAfter((clock) => {
      clock.block(300);
      clock.stepWall(-60_000);
    });
    expect(passed).toBe(688);
  });

  it('is not made shorter by a wall clock that is set forward', () => {
    const passed = remainingAfter((clock) => {
      clock.block(300);
      clock.stepWall(60_000);
    });
    expect(passed).toBe(688);
  });
});
