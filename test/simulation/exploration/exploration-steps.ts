import { quorumOf } from '../../../lib/core/quorum/quorum.js';
import { PHASE, RAISE, range, VOTE, type State } from './exploration-state.js';

/** How a token is made of the counters that came with the votes, and when it may be used; it only compares them. */
export interface TokenRule {
  tokenOf(fences: readonly number[], quorum: number): number | undefined;
  stands(fences: readonly number[], quorum: number, token: number): boolean;
  /**
   * Whether a grant in line is given back that is heard before the answer by which its waiter knows that it waits, instead of
   * votes that are too few. @default false
   */
  readonly returnsEarly?: boolean;
  /** Whether a vote counts until the command arrives that gives it back: by the answer to another question. @default false */
  readonly countsLeaving?: boolean;
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
      ...handOffs(state, { attempt, node, rule }),
      ...liftings(state, attempt, node),
      ...returns(state, { attempt, node, rule }),
      ...endings(state, attempt, node),
    ]),
    ...decisions(state, attempt, rule),
    ...ends(state, attempt),
  ]);
}

/** The question arrives, also after the attempt was given up, and waits in line where the node is not free. */
function arrivals(state: State, attempt: number, node: number): Step[] {
  const vote = state.vote(attempt, node);
  if (state.at(vote) !== VOTE.underWay) return [];
  if (state.owner(node) !== undefined) {
    return [{ describe: () => `node ${node} has ${attempt} wait`, state: state.with([vote, VOTE.waiting]) }];
  }
  return [
    { describe: () => `node ${node} grants ${tokened(state, attempt, node)}`, state: grant(state, attempt, node) },
  ];
}

interface Turn {
  readonly attempt: number;
  readonly node: number;
  readonly rule: TokenRule;
}

/**
 * The node is free, and it is the turn of a waiter; the node tells of that before or after it has answered the waiter's
 * question.
 */
function handOffs(state: State, { attempt, node, rule }: Turn): Step[] {
  if (state.at(state.vote(attempt, node)) !== VOTE.waiting || state.owner(node) !== undefined) return [];
  const describe = (): string => `node ${node} passes to ${tokened(state, attempt, node)}`;
  const granted = { describe, state: grant(state, attempt, node) };
  if (!rule.returnsEarly || state.at(state.phase(attempt)) !== PHASE.asking) return [granted];
  const returned = grant(state, attempt, node).with(...givenBack(state, attempt, node));
  return [granted, { describe: () => `${describe()}, who does not expect it`, state: returned }];
}

function grant(state: State, attempt: number, node: number): State {
  const counter = state.counter(node);
  const fence = state.at(counter) + 1;
  return state.with([state.vote(attempt, node), VOTE.granted], [counter, fence], [state.fence(attempt, node), fence]);
}

function tokened(state: State, attempt: number, node: number): string {
  return `${attempt} with ${state.at(state.counter(node)) + 1}`;
}

/** A command arrives that lifts the counter; it helps only an attempt that still has the vote. */
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

type Changes = readonly (readonly [cell: number, value: number])[];

/** No attempt gives back more than one vote while it asks, so that there is an end to it. */
function givenBack(state: State, attempt: number, node: number): Changes {
  return [
    [state.vote(attempt, node), VOTE.leaving],
    [state.phase(attempt), PHASE.insisting],
  ];
}

/** An attempt with too few votes gives one back; that arrives, and the attempt waits again, or keeps it since nobody else waits. */
function returns(state: State, { attempt, node, rule }: Turn): Step[] {
  const vote = state.at(state.vote(attempt, node));
  const phase = state.at(state.phase(attempt));
  if (vote === VOTE.leaving && phase !== PHASE.over) return arrivalsBack(state, attempt, node);
  if (rule.returnsEarly || vote !== VOTE.granted || phase !== PHASE.asking) return [];
  const given = state.with(...givenBack(state, attempt, node));
  return [{ describe: () => `${attempt} gives node ${node} back`, state: given }];
}

/**
 * Behind what was sent before. An attempt that waits again waits for a new vote, whose counter may have to be lifted
 * again.
 */
function arrivalsBack(state: State, attempt: number, node: number): Step[] {
  const [vote, raise] = [state.vote(attempt, node), state.raise(attempt, node)];
  if (state.at(raise) > RAISE.done) return [];
  const waits = state.with([vote, VOTE.waiting], [raise, RAISE.unsent]);
  return [
    { describe: () => `node ${node} has ${attempt} wait again`, state: waits },
    { describe: () => `node ${node} leaves it to ${attempt}`, state: state.with([vote, VOTE.granted]) },
  ];
}

/** What an attempt that is over had is given back, or runs out. */
function endings(state: State, attempt: number, node: number): Step[] {
  if (state.at(state.phase(attempt)) !== PHASE.over || !state.has(attempt, node)) return [];
  const free = state.with([state.vote(attempt, node), VOTE.none]);
  return [{ describe: () => `node ${node} is free of ${attempt}`, state: free }];
}

/** An attempt looks at some of its answers, a quorum at least: those that it has seen so far. */
function decisions(state: State, attempt: number, rule: TokenRule): Step[] {
  if (!state.asks(attempt)) return [];
  const quorum = quorumOf(state.nodes);
  return subsets(range(state.nodes).filter((node) => counts(state, { attempt, node, rule })))
    .filter((seen) => seen.length >= quorum)
    .map((seen) => decide(state, { attempt, seen, quorum, rule }));
}

/** What may be given away at any moment does not count. */
function counts(state: State, { attempt, node, rule }: Turn): boolean {
  const vote = state.at(state.vote(attempt, node));
  return vote === VOTE.granted || (vote === VOTE.leaving && rule.countsLeaving === true);
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
