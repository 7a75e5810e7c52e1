import { PHASE, RAISE, VOTE, type State } from './exploration-state.js';

/** Takes out of a state, in place, what makes no difference to what can come, so that states that differ in it are one. */
export function forgetDifferences(state: State): State {
  for (let attempt = 0; attempt < state.attempts; attempt += 1) {
    for (let node = 0; node < state.nodes; node += 1) {
      forgetPlace(state, attempt, node);
      forgetNumbers(state, attempt, node);
    }
  }
  return state;
}

/**
 * For an attempt that no longer asks it makes no difference whether its place in line is still to be taken, and for an
 * attempt that is over it makes no difference when the vote that it gives back arrives.
 */
function forgetPlace(state: State, attempt: number, node: number): void {
  const vote = state.vote(attempt, node);
  if (state.asks(attempt)) return;
  if (state.at(vote) === VOTE.waiting) state.cells[vote] = VOTE.underWay;
  if (state.at(vote) === VOTE.leaving && state.at(state.phase(attempt)) === PHASE.over)
    state.cells[vote] = VOTE.granted;
}

/** Only an attempt that still asks looks at counters, those of its votes, and it has a counter lifted only once. */
function forgetNumbers(state: State, attempt: number, node: number): void {
  const { cells } = state;
  const [fence, raise] = [state.fence(attempt, node), state.raise(attempt, node)];
  if (!countsFence(state, attempt, node)) cells[fence] = 0;
  const token = cells[raise]! - RAISE.done;
  const lifts = token > state.at(state.counter(node)) || (cells[fence]! > 0 && token > cells[fence]!);
  if (token > 0 && !lifts) cells[raise] = RAISE.done;
  if (!state.asks(attempt) && cells[raise] === RAISE.done) cells[raise] = RAISE.unsent;
}

/** The same with all numbers as low as can be: rules only compare them, and no token is below the least of them. */
export function lowered(original: State): State {
  const state = original.with();
  const { cells } = state;
  let least = Infinity;
  for (let node = 0; node < state.nodes; node += 1) least = Math.min(least, state.at(state.counter(node)));
  each(state, (attempt, node) => {
    if (countsFence(state, attempt, node)) least = Math.min(least, state.at(state.fence(attempt, node)) - 1);
  });
  cells[state.latest] = Math.max(least, cells[state.latest]!) - least;
  for (let node = 0; node < state.nodes; node += 1) cells[state.counter(node)]! -= least;
  each(state, (attempt, node) => {
    if (countsFence(state, attempt, node)) cells[state.fence(attempt, node)]! -= least;
    if (state.at(state.raise(attempt, node)) > RAISE.done) cells[state.raise(attempt, node)]! -= least;
  });
  return state;
}

function countsFence(state: State, attempt: number, node: number): boolean {
  return state.asks(attempt) && state.has(attempt, node);
}

function each({ attempts, nodes }: State, look: (attempt: number, node: number) => void): void {
  for (let attempt = 0; attempt < attempts; attempt += 1)
    for (let node = 0; node < nodes; node += 1) look(attempt, node);
}
