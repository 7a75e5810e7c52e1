import { dice } from './agenda.js';
import type { Terms } from './world.js';

const CHOICES = {
  nodes: [1, 2, 3, 3, 4, 5, 5, 5, 5, 7],
  delay: [0.1, 0.5, 2, 8],
  ttl: [200, 500, 1_000, 3_000],
  tail: [0, 0.02, 0.1],
  loss: [0, 0, 0.1, 0.5, 1],
  rates: [0, 0.002, 0.004],
  processes: [2, 3, 5, 8],
  workers: [1, 1, 2, 4],
  resources: [1, 1, 2],
  tries: [0, 0.2],
  several: [0, 0, 0.3],
  foreign: [0, 0, 0, 1],
  waits: [Infinity, Infinity, 300],
  hold: [1, 5, 30],
  think: [0, 0, 5, 50],
  forget: [0, 0, 0.02],
  reorder: [0, 0, 1],
  faultRate: [0, 1, 3, 8],
  length: [1_500, 4_000],
  wall: [0, 0, 1],
  wallRates: [0, 0, 0.0009],
  blocks: [0, 0, 0, 0.01],
  /** The share of calls whose work is to be done once for a key. Which worlds have some: see `choose`. */
  once: [0.5, 1, 1],
  /** The share of this work that fails. */
  fails: [0, 0, 0.2],
};
export type Choices = { readonly [name in keyof typeof CHOICES]: number };

/** Every so many worlds one has callers that do their work once. */
export const ONCE_IN = 4;

/** Draws what a world is like; `fixed` says what is not drawn. */
export function choose(seed: number, fixed: Partial<Choices>): Choices {
  const chosen = drawn(CHOICES, dice(seed * 7 + 3));
  return { ...chosen, ...(seed % ONCE_IN === 0 ? {} : { once: 0 }), ...fixed };
}

/** Returns what the nodes, the network and the clocks of a world are like. */
export function termsOf(choices: Choices): Terms {
  const { nodes, delay, tail, loss, rates, wallRates, blocks, ttl, reorder } = choices;
  const nodeTimeout = Math.max(10, delay * 6);
  return { nodes, delay, tail, loss, rates, wallRates, blocks, maxTtl: ttl, nodeTimeout, reorder: reorder === 1 };
}

/** What is drawn beside that for a world in which callers have a limit, and processes campaign. */
const SHARED_CHOICES = {
  /** How many callers may hold the resource at once. */
  limit: [2, 2, 3, 4],
  /** The share of calls that take all slots. */
  all: [0, 0.1, 0.3],
  /** How many processes campaign for the role; 0: nobody. */
  candidates: [0, 2, 3, 4],
  stopTimeout: [20, 100, 400],
  /** The share of clean-ups that take up to twice as long as `stopTimeout`. */
  late: [0, 0.2, 0.5],
  /** The share of work that throws. */
  throws: [0, 0, 0.2],
};
export type SharedChoices = Choices & { readonly [name in keyof typeof SHARED_CHOICES]: number };

/** Draws with dice of its own, so that the other choices stay what they are. */
export function chooseShared(seed: number, fixed: Partial<SharedChoices>): SharedChoices {
  const own = drawn(SHARED_CHOICES, dice(seed * 11 + 5));
  return { ...choose(seed, { once: 0, foreign: 0, several: 0 }), ...own, ...fixed };
}

function drawn<T extends Readonly<Record<string, readonly number[]>>>(
  choices: T,
  random: () => number,
): { readonly [name in keyof T]: number } {
  const entries = Object.entries(choices).map(([name, values]) => [
    name,
    values[Math.floor(random() * values.length)]!,
  ]);
  return Object.fromEntries(entries) as { readonly [name in keyof T]: number };
}
