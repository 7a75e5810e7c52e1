import { describe, expect, it } from '@jest/globals';
import { PHASE, State, VOTE } from './exploration-state.js';
import { StatePacking } from './state-packing.js';

const COUNTERS = [3, 5, 5];

/** One attempt holds the first and last node, and has its counter lifted on the second; another one asks. */
function example(nodes: readonly number[], attempts: readonly number[]): State {
  const [near, middle, far] = nodes as [number, number, number];
  const [holder, other] = attempts as [number, number];
  const counters = [0, 0, 0];
  nodes.forEach((node, index) => (counters[node] = COUNTERS[index]!));
  const state = State.initial(counters, 2);
  return state.with(
    [state.latest, 4],
    [state.phase(holder), PHASE.holding],
    [state.vote(holder, near), VOTE.granted],
    [state.vote(holder, far), VOTE.granted],
    [state.raise(holder, middle), 7],
    [state.vote(other, middle), VOTE.granted],
    [state.fence(other, middle), 5],
    [state.vote(other, far), VOTE.none],
  );
}

describe('StatePacking', () => {
  const packing = new StatePacking(3, 2);
  const packed = (state: State): number[] => {
    const words = new Uint32Array(packing.width);
    packing.pack(state, words);
    return [...words];
  };

  it('gives back what it packed', () => {
    const state = example([0, 1, 2], [0, 1]);
    const words = packed(state);
    expect(packed(packing.unpack(Uint32Array.from(words)))).toEqual(words);
    const cells = [...packing.unpack(Uint32Array.from(words)).cells];
    expect(cells.toSorted((a, b) => a - b)).toEqual([...state.cells].toSorted((a, b) => a - b));
  });

  it.each(Object.values(PHASE).flatMap((phase) => Object.values(VOTE).map((vote) => [phase, vote])))(
    'keeps phase %i and vote %i, with the greatest numbers',
    (phase, vote) => {
      const state = State.initial([13, 13, 13], 1);
      const full = state.with([state.latest, 13], [state.phase(0), phase]);
      for (const node of [0, 1, 2]) full.cells.set([vote, 13, 13], full.vote(0, node));
      const one = new StatePacking(3, 1);
      const words = new Uint32Array(one.width);
      one.pack(full, words);
      expect(one.unpack(words).cells).toEqual(full.cells);
    },
  );

  it.each([
    [
      [0, 2, 1],
      [0, 1],
    ],
    [
      [2, 0, 1],
      [1, 0],
    ],
    [
      [2, 1, 0],
      [0, 1],
    ],
    [
      [1, 2, 0],
      [1, 0],
    ],
  ])('makes no difference of which is which: nodes %j, attempts %j', (nodes, attempts) => {
    expect(packed(example(nodes, attempts))).toEqual(packed(example([0, 1, 2], [0, 1])));
  });

  it('tells apart what differs in one number', () => {
    const state = example([0, 1, 2], [0, 1]);
    const words = new Set([packed(state).join()]);
    for (let cell = 0; cell < state.cells.length; cell += 1)
      words.add(packed(state.with([cell, state.at(cell) ^ 1])).join());
    expect(words.size).toBe(state.cells.length + 1);
  });

  it('refuses a number that does not fit', () => {
    const state = State.initial([0, 0, 16], 2);
    expect(() => packed(state)).toThrow(RangeError);
    expect(() => new StatePacking(5, 2)).toThrow(RangeError);
  });
});
