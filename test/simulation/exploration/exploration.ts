import { forgetDifferences, lowered } from './exploration-sameness.js';
import { range, State } from './exploration-state.js';
import { stepsFrom, type Step, type TokenRule } from './exploration-steps.js';
import { StatePacking } from './state-packing.js';
import { StateSet } from './state-set.js';

export interface Exploration {
  /** Those that were seen, without those that differ from them in names and heights only, or in which nobody asks any more. */
  readonly states: number;
  /** The steps to a state in which a promise is broken, as few as possible; undefined where there is none. */
  readonly violation: readonly string[] | undefined;
}

export interface Beginning {
  /** What the counters of the nodes begin at, one case after the other. */
  readonly counters: readonly (readonly number[])[];
  readonly attempts: number;
  /** How many of them may give a vote back, once each. @default 0 */
  readonly returning?: number;
}

/**
 * Looks at everything that can happen to a few attempts on a few nodes: any order of arrival, any answers seen so far,
 * attempts that are given up, turns of attempts in line, also of those that no longer wait, votes that are given back,
 * late lifting of counters.
 */
export function explore(rule: TokenRule, { counters, attempts, returning }: Beginning): Exploration {
  const starts = counters.map((start) => forgetDifferences(State.initial(start, attempts, returning)));
  const packing = new StatePacking(starts[0]!.nodes, attempts);
  const words = new Uint32Array(packing.width);
  const seen = new StateSet(packing.width);
  const see = (state: State, origin: number): void => {
    packing.pack(lowered(state), words);
    seen.add(words, origin);
  };
  for (const start of starts) see(start, -1);
  for (let index = 0; index < seen.size; index += 1) {
    for (const step of stepsFrom(packing.unpack(seen.at(index)), rule)) {
      if (step.broken) return { states: seen.size, violation: pathTo(index, { rule, starts, packing, seen }) };
      const next = forgetDifferences(step.state);
      if (next.isOpen) see(next, index);
    }
  }
  return { states: seen.size, violation: undefined };
}

/** All counters from 0 to `most`; which node has which makes no difference. */
export function countersUpTo(most: number, nodes: number): number[][] {
  if (nodes === 0) return [[]];
  return countersUpTo(most, nodes - 1).flatMap((rest) =>
    range(most + 1)
      .filter((counter) => counter >= (rest.at(-1) ?? 0))
      .map((counter) => [...rest, counter]),
  );
}

interface Explored {
  readonly rule: TokenRule;
  readonly starts: readonly State[];
  readonly packing: StatePacking;
  readonly seen: StateSet;
}

/** The way to a state from which a broken one is one step away, gone again with the same names all along. */
function pathTo(last: number, { rule, starts, packing, seen }: Explored): string[] {
  const way: number[] = [];
  for (let index = last; index !== -1; index = seen.originOf(index)) way.unshift(index);
  const words = new Uint32Array(packing.width);
  const isSeen = (state: State, index: number): boolean => {
    packing.pack(lowered(state), words);
    return seen.at(index).every((word, position) => word === words[position]);
  };
  let state = starts.find((start) => isSeen(start, way[0]!))!;
  const path = [
    `counters ${range(state.nodes)
      .map((node) => state.at(state.counter(node)))
      .join()}`,
  ];
  const goTo = (isNext: (step: Step) => boolean): void => {
    const step = stepsFrom(state, rule).find(isNext)!;
    path.push(step.describe());
    state = forgetDifferences(step.state);
  };
  for (const index of way.slice(1)) goTo((step) => !step.broken && isSeen(forgetDifferences(step.state.with()), index));
  goTo(({ broken }) => broken === true);
  return path;
}
