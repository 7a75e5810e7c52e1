import { describe, expect, it } from '@jest/globals';
import { stands, tokenOf } from '../../../lib/core/port/fencing.js';
import { forgetDifferences, lowered } from './exploration-sameness.js';
import { State } from './exploration-state.js';
import { stepsFrom, type Step, type TokenRule } from './exploration-steps.js';
import { countersUpTo, explore } from './exploration.js';
import { StatePacking } from './state-packing.js';

const RULE: TokenRule = { tokenOf, stands };
const NAIVE: TokenRule = { tokenOf: (fences) => Math.max(...fences), stands: () => true };
/** A grant that is heard before the answer "held" is given back, while the answer to a later question says that it was granted. */
const EARLY: TokenRule = { ...RULE, returnsEarly: true, countsLeaving: true };

describe.each([
  { attempts: 2, most: 2, returning: 2, least: 80_000 },
  { attempts: 3, most: 1, returning: 0, least: 30_000 },
  { attempts: 3, most: 0, returning: 1, least: 40_000 },
])('everything that can happen to $attempts attempts on three nodes', ({ attempts, most, returning, least }) => {
  const beginning = { counters: countersUpTo(most, 3), attempts, returning };

  it(`keeps the tokens in order, whatever up to ${most} the counters begin with, and ${returning} may give votes back`, () => {
    const { states, violation } = explore(RULE, beginning);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(least);
  }, 240_000);

  it('finds that the greatest counter of a quorum is no token', () => {
    expect(explore(NAIVE, beginning).violation).toBeDefined();
  });

  it('finds that a token must stand on a quorum', () => {
    const hasty: TokenRule = { tokenOf, stands: () => true };
    expect(explore(hasty, beginning).violation).toBeDefined();
  });

  it('finds that the smallest counter is no token', () => {
    const smallest: TokenRule = { tokenOf: (fences) => Math.min(...fences), stands };
    expect(explore(smallest, beginning).violation).toBeDefined();
  });
});

describe('explore', () => {
  it('tells the steps that lead to what it finds, in order', () => {
    expect(explore(NAIVE, { counters: [[0, 0, 1]], attempts: 2 }).violation).toEqual([
      'counters 0,0,1',
      'node 0 grants 0 with 1',
      'node 1 grants 1 with 1',
      'node 2 grants 0 with 2',
      '0 holds with token 2',
      '0 is over',
      'node 0 is free of 0',
      'node 0 grants 1 with 2',
      '1 holds with token 2',
    ]);
  });

  it('finds that what may be given away at any moment does not count', () => {
    const beginning = { counters: [[0, 0, 0]], attempts: 2, returning: 1 };
    expect(explore({ ...RULE, countsLeaving: true }, beginning).violation).toEqual([
      'counters 0,0,0',
      'node 0 grants 0 with 1',
      'node 1 grants 0 with 1',
      '0 gives node 0 back',
      'node 2 grants 1 with 1',
      '0 holds with token 1',
      'node 0 has 0 wait again',
      'node 0 grants 1 with 2',
      '1 has counters lifted to 2 on 2',
      'node 2 lifts its counter to 2 for 1',
      '1 holds with token 2',
    ]);
  });

  describe('with a grant that is given back, since it came before the answer to the waiter', () => {
    const beginning = { counters: [[0, 0, 0]], attempts: 3, returning: 1 };

    it('finds two holders if its waiter goes on asking, and counts what it is told then', () => {
      expect(explore(EARLY, beginning).violation).toEqual([
        'counters 0,0,0',
        'node 0 grants 0 with 1',
        'node 1 grants 1 with 1',
        'node 1 has 0 wait',
        'node 2 grants 2 with 1',
        '1 is over',
        'node 1 is free of 1',
        'node 1 passes to 0 with 2, who does not expect it',
        '0 has counters lifted to 2 on 0',
        'node 0 lifts its counter to 2 for 0',
        '0 holds with token 2',
        'node 1 has 0 wait again',
        'node 1 grants 2 with 3',
        '2 has counters lifted to 3 on 2',
        'node 2 lifts its counter to 3 for 2',
        '2 holds with token 3',
      ]);
    });

    it('finds no second holder if the waiter does not count it', () => {
      const { states, violation } = explore({ ...EARLY, countsLeaving: false }, beginning);
      expect(violation).toBeUndefined();
      expect(states).toBeGreaterThan(10_000);
    });
  });

  it.each([
    { counters: [0, 0, 0], returning: 1, rule: RULE },
    { counters: [0, 0, 1], returning: 0, rule: RULE },
    { counters: [0, 1, 1], returning: 0, rule: NAIVE },
    { counters: [0, 0, 1], returning: 1, rule: EARLY },
  ])(
    'misses nothing although it treats some states as the same: counters $counters',
    ({ counters, returning, rule }) => {
      const { ways, states, missed } = exploreEveryWay(State.initial(counters, 2, returning), rule);
      expect(missed).toEqual([]);
      expect(ways).toBeGreaterThan(10 * states);
      const { violation, ...explored } = explore(rule, { counters: [counters], attempts: 2, returning });
      if (!violation) expect(explored.states).toBe(states);
    },
    240_000,
  );
});

/**
 * Goes on from each state as it is. What can come next must be what can come next after the state for which the exploration
 * takes it, or make no difference.
 */
function exploreEveryWay(first: State, rule: TokenRule): { ways: number; states: number; missed: string[] } {
  const packing = new StatePacking(first.nodes, first.attempts);
  const words = new Uint32Array(packing.width);
  const keyOf = (state: State): string => {
    packing.pack(lowered(forgetDifferences(state.with())), words);
    return words.join();
  };
  const nextOf = (step: Step): string => (step.broken ? 'broken' : keyOf(step.state));
  const nextOnes = new Map<string, Set<string>>();
  const seen = new Set([String.fromCharCode(...first.cells)]);
  const missed: string[] = [];
  const open = [first];
  for (let state = open.pop(); state; state = open.pop()) {
    const key = keyOf(state);
    if (!nextOnes.has(key)) nextOnes.set(key, new Set(stepsFrom(packing.unpack(words), rule).map(nextOf)).add(key));
    for (const step of stepsFrom(state, rule)) {
      if (!nextOnes.get(key)!.has(nextOf(step))) missed.push(`${step.describe()} after ${key}`);
      const way = String.fromCharCode(...step.state.cells);
      if (!step.broken && !seen.has(way)) open.push(step.state);
      seen.add(way);
    }
  }
  const isOpen = (key: string): boolean => packing.unpack(Uint32Array.from(key.split(','), Number)).isOpen;
  return { ways: seen.size, states: [...nextOnes.keys()].filter(isOpen).length, missed };
}
