import { beforeEach, describe, expect, it } from '@jest/globals';
import { GRACE } from '../../../lib/core/hand-off.js';
import { Insistence } from '../../../lib/core/insistence.js';
import type { Lost } from '../../../lib/core/outcome.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const HELD: Lost = { kind: 'contended', nodes: [], retryAfter: 100, rivals: [] };
const SPLIT: Lost = { ...HELD, rivals: ['x', 'y'] };

describe('insisting on votes that are split', () => {
  let clock: VirtualClock;
  let fraction: number;
  let insistence: Insistence;
  const after = (ms: number, outcome = SPLIT): boolean => {
    clock.block(ms);
    return insistence.endsAfter(outcome);
  };
  beforeEach(() => {
    clock = new VirtualClock();
    fraction = 0.4;
    insistence = new Insistence({ clock, random: { value: () => 'mine', fraction: () => fraction } });
  });

  it('lasts longer than the grace of one that has died', () => {
    expect([after(0), after(GRACE), after(1)]).toEqual([false, false, true]);
  });

  it('begins when they are split, however long somebody held the resource before that', () => {
    expect([after(0, HELD), after(10 * GRACE), after(GRACE + 1)]).toEqual([false, false, true]);
  });

  it('begins anew where somebody had the resource in between', () => {
    expect([after(0), after(GRACE, HELD), after(1), after(GRACE), after(1)]).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('does not end for all at once', () => {
    after(0);
    fraction = 0.5;
    expect(after(2 * GRACE)).toBe(false);
    fraction = 0.49;
    expect(after(1)).toBe(true);
  });
});
