import { quorumOf } from '../../lib/core/quorum.js';
import { PHASE, RAISE, range, VOTE, type State } from './exploration-state.js';

/** How a token is made of the counters that came with the votes, and when it may be used; it only compares them. */
export interface TokenRule {
  tokenOf(fences: readonly number[], quorum: number): number | undefined;
  stands(fences: readonly number[], quorum: number, token: number): boolean;
}

/** Something that can happen next. */
export interface Step {
  readonly state: State;
  readonly broken?: boolean;
  describe(): string;
}

export function stepsFrom(state: State, rule: TokenRule): Step[] {
  return range(state.attempts).flatMap((attempt) => [
    ...range(state.nodes).flatMap((node) => [
      ...arrivals(state, attempt, node),
      ...liftings(state, attempt, node),
      ...endings(state, attempt, node),
    ]),
    ...decisions(state, attempt, rule),
    ...ends(state, attempt),
  ]);
}

/** The question arrives, also after the attempt was given up. */
function arrivals(state: State, attempt: number, node: number): Step[] {
  const vote = state.vote(attempt, node);
  if (state.at(vote) !== VOTE.underWay) return [];
  if (state.owner(node) !== undefined) {
    return [{ describe: () => `node ${node} denies ${attempt}`, state: state.with([vote, VOTE.none]) }];
  }
  const fence = state.at(state.counter(node)) + 1;
  const granted = state.with([vote, VOTE.granted], [state.counter(node), fence], [state.fence(attempt, node), fence]);
  return [{ describe: () => `node ${node} grants ${attempt} with ${fence}`, state: granted }];
}

/** A command arrives that lifts the counter; it helps only who still has the vote. */
function liftings(state: State, attempt: number, node: number): Step[] {
  const raise = state.raise(attempt, node);
  const token = state.at(raise) - RAISE.done;
  if (token <= 0) return [];
  const counter = state.counter(node);
  const fence = state.fence(attempt, node);
  const helps = state.owner(node) === attempt;
  const lifted = state.with(
    [raise, RAISE.done],
    [counter, Math.max(state.at(counter), token)],
    [fence, helps ? Math.max(state.at(fence), token) : state.at(fence)],
  );
  return [{ describe: () => `node ${node} lifts its counter to ${token} for ${attempt}`, state: lifted }];
}

/** What an attempt that is over had is given back, or runs out. */
function endings(state: State, attempt: number, node: number): Step[] {
  const vote = state.vote(attempt, node);
  if (state.at(state.phase(attempt)) !== PHASE.over || state.at(vote) !== VOTE.granted) return [];
  return [{ describe: () => `node ${node} is free of ${attempt}`, state: state.with([vote, VOTE.none]) }];
}

/** An attempt looks at some of its answers, a quorum at least: those that it has seen so far. */
function decisions(state: State, attempt: number, rule: TokenRule): Step[] {
  if (state.at(state.phase(attempt)) !== PHASE.asking) return [];
  const quorum = quorumOf(state.nodes);
  return subsets(state.granted(attempt))
    .filter((seen) => seen.length >= quorum)
    .map((seen) => decide(state, { attempt, seen, quorum, rule }));
}

interface Look {
  readonly attempt: number;
  readonly seen: readonly number[];
  readonly quorum: number;
  readonly rule: TokenRule;
}

function decide(state: State, { attempt, seen, quorum, rule }: Look): Step {
  const fences = seen.map((node) => state.at(state.fence(attempt, node)));
  const token = rule.tokenOf(fences, quorum)!;
  if (rule.stands(fences, quorum, token)) return hold(state, attempt, token);
  const behind = seen.filter((node) => state.at(state.fence(attempt, node)) < token);
  const unasked = behind.map((node) => state.raise(attempt, node)).filter((cell) => state.at(cell) === RAISE.unsent);
  const asked = state.with(...unasked.map((cell) => [cell, token + RAISE.done] as const));
  return { describe: () => `${attempt} has counters lifted to ${token} on ${behind.join()}`, state: asked };
}

function hold(state: State, attempt: number, token: number): Step {
  const others = range(state.attempts).filter((other) => state.at(state.phase(other)) === PHASE.holding);
  const broken = others.length > 0 || token <= state.at(state.latest);
  const held = state.with([state.phase(attempt), PHASE.holding], [state.latest, token]);
  return { describe: () => `${attempt} holds with token ${token}`, state: held, broken };
}

/** An attempt is given up, or its hold ends. */
function ends(state: State, attempt: number): Step[] {
  const phase = state.phase(attempt);
  if (state.at(phase) === PHASE.over) return [];
  return [{ describe: () => `${attempt} is over`, state: state.with([phase, PHASE.over]) }];
}

function subsets(nodes: readonly number[]): number[][] {
  return range(2 ** nodes.length).map((mask) => nodes.filter((_, index) => (mask >> index) & 1));
}
