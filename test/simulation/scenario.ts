import type { Dice } from './dice.js';
import type { Weakness } from './weakness.js';

/** Ms: the longest lease, and the length of a quarantine. */
export const MAX_TTL = 800;

/** Ms for which a node may not notice that a connection is no more, of whose end it was not told: a machine lost its power. */
export const UNNOTICED = 2_500;

/** Ms by which a wall clock may be wrong: any two agree within half of `MAX_TTL`, as the order of fencing tokens needs it. */
const WRONG_BY = 120;
/** Ms by which all that sets one clock may come to move it. */
export const LARGEST_STEP = 60;
/** By how much a clock may be fast or slow: two of them differ by less than the drift factor of 0.01. */
const RATE_ERROR = 0.0045;

/** What one seed is about. */
export interface Scenario {
  readonly nodes: number;
  readonly clients: number;
  readonly callers: number;
  /** Whether callers ask for the same thing one right after the other, each for a moment, so that they wait in line at home. */
  readonly crowded: boolean;
  readonly resources: readonly string[];
  /** Ms of faults and work before everything is healed. */
  readonly length: number;
  readonly nodeTimeout: number | undefined;
  /** Ms; the shortest and the longest lease. */
  readonly ttls: readonly [number, number];
  /** Whether bytes of a broken connection may arrive after those of the next one. */
  readonly zombies: boolean;
  readonly faults: number;
  readonly weakness: Weakness | undefined;
}

export function rollScenario(dice: Dice, weakness?: Weakness): Scenario {
  const crowded = dice.chance(0.25);
  return {
    nodes: dice.chance(0.75) ? 3 : 5,
    clients: dice.whole(2, 3),
    callers: crowded ? dice.whole(3, 6) : dice.whole(1, 2),
    crowded,
    resources: dice.chance(0.6) ? ['a'] : ['a', 'b'],
    length: dice.whole(2_000, 3_500),
    nodeTimeout: dice.pick([undefined, undefined, 8, 30, 400]),
    ttls: dice.pick([
      [60, 200],
      [100, 600],
      [300, MAX_TTL],
    ] as const),
    zombies: dice.chance(0.4),
    faults: dice.whole(0, dice.pick([4, 12, 40])),
    weakness,
  };
}

export function rollClock(dice: Dice, name: string): { name: string; rate: number; ahead: number } {
  return { name, rate: 1 + dice.between(-RATE_ERROR, RATE_ERROR), ahead: dice.between(-WRONG_BY, WRONG_BY) };
}
