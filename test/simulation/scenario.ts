import type { Dice } from './world/dice.js';
import type { Weakness } from './faults/weakness.js';

/** Ms: the longest lease, and the length of a quarantine. */
export const MAX_TTL = 800;

/** Ms for which a node may not notice that a connection is no more, of whose end it was not told: a machine lost its power. */
export const UNNOTICED = 2_500;

/** Ms by which a wall clock may be wrong: any two agree within half of `MAX_TTL`, as the order of fencing tokens needs it. */
const WRONG_BY = 120;
/** Ms by which all that sets one clock may come to move it. */
export const LARGEST_STEP = 60;
/** Ms by which the clock of a node is set forward: enough to be noticed, and not so far that the node gives no votes any more. */
export const SET_FORWARD = [385, 393] as const;
/** What is left of all other errors of clocks where that happens. */
const NEARLY_RIGHT = 0.01;
/** Ms by which one is wrong that no node takes a token from: whatever its own clock says, that is more than half of `MAX_TTL` away. */
export const STRAY: readonly [number, number] = [MAX_TTL / 2 + 2 * (WRONG_BY + LARGEST_STEP), 4_000];
/** By how much a clock may be fast or slow: two of them differ by less than the drift factor of 0.01. */
const RATE_ERROR = 0.0045;

/** Ms more where an address moves to a spare server: only a second visit is dangerous, when the quarantine of the first one is over. */
const TIME_FOR_MOVES = 2_000;

/** What one seed is about. */
export interface Scenario {
  readonly nodes: number;
  readonly clients: number;
  readonly callers: number;
  /** Whether callers ask for the same thing one right after the other, each for a moment, so that they wait in line at home. */
  readonly crowded: boolean;
  readonly resources: readonly string[];
  /** Whether callers mostly give several resources back in the turn in which they ask for one of them. */
  readonly exchanging: boolean;
  /** Ms of faults and work before everything is healed. */
  readonly length: number;
  readonly nodeTimeout: number | undefined;
  /** Ms; the shortest and the longest lease. */
  readonly ttls: readonly [number, number];
  /** Whether bytes of a broken connection may arrive after those of the next one. */
  readonly zombies: boolean;
  readonly faults: number;
  /** Whether all clocks are wrong by a little, or right but for those of nodes that are set forward. */
  readonly clocks: 'wrong' | 'set forward';
  /** At how many of the points at which a program could do so it computes. */
  readonly computes: number;
  /** Whether the wall clocks of clients are now and then set so far off that no node takes a token from them. */
  readonly strayClocks: boolean;
  /** Whether processes leave notes with their identity, which the processes that wait for them read. */
  readonly leavesNotes: boolean;
  /** Whether the first address leads to a spare server and back, for all clients. */
  readonly hasSpare: boolean;
  readonly weakness: Weakness | undefined;
}

export function rollScenario(dice: Dice, weakness?: Weakness): Scenario {
  const crowded = dice.chance(0.25);
  const exchanging = dice.chance(0.1);
  const clocks = dice.chance(0.85) ? 'wrong' : 'set forward';
  const rolled: Omit<Scenario, 'leavesNotes' | 'hasSpare'> = {
    nodes: dice.chance(0.75) ? 3 : 5,
    clients: dice.whole(2, 3),
    callers: crowded ? dice.whole(3, 6) : dice.whole(1, 2),
    crowded,
    resources: exchanging ? ['a', 'b'] : dice.pick([['a'], ['a'], ['a', 'b'], ['a', 'b', 'c']]),
    exchanging,
    length: dice.whole(2_000, 3_500),
    // Answers that come late do not tell so well that a clock was set.
    nodeTimeout: dice.pick(clocks === 'wrong' ? [undefined, undefined, 8, 30, 400] : [undefined, 8, 30]),
    ttls: dice.pick([
      [60, 200],
      [100, 600],
      [300, MAX_TTL],
    ] as const),
    zombies: dice.chance(0.4),
    faults: dice.whole(0, dice.pick([4, 12, 40])),
    clocks,
    // One that does so reads answers late.
    computes: clocks === 'wrong' ? dice.pick([0, 0, 0.05, 0.2]) : 0,
    strayClocks: clocks === 'wrong' && dice.chance(0.15),
    weakness,
  };
  // Without a roll of its own, the seeds that were looked into before stay as they were.
  const leavesNotes = rolled.length % 4 === 0;
  const hasSpare = rolled.length % 7 === 0 && canHaveSpare(rolled);
  return { ...rolled, leavesNotes, hasSpare, length: rolled.length + (hasSpare ? TIME_FOR_MOVES : 0) };
}

/**
 * A spare server is kept out of the vote at first. Where nothing does that, it gives locks away that others hold. And a clock that is set
 * forward only while no address leads to its server is noticed by nobody.
 */
function canHaveSpare({ clocks, weakness }: Pick<Scenario, 'clocks' | 'weakness'>): boolean {
  return clocks === 'wrong' && weakness !== 'no quarantine';
}

export function rollClock(
  dice: Dice,
  name: string,
  { clocks }: Pick<Scenario, 'clocks'>,
): { name: string; rate: number; ahead: number } {
  const share = clocks === 'wrong' ? 1 : NEARLY_RIGHT;
  const rate = 1 + dice.between(-RATE_ERROR, RATE_ERROR) * share;
  return { name, rate, ahead: dice.between(-WRONG_BY, WRONG_BY) * share };
}
