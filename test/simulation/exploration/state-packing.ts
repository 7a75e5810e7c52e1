import { PHASE, range, State, VOTE } from './exploration-state.js';

/** How many numbers there are, phases of an attempt, and votes: so many that an attempt on three nodes fills a word. */
const NUMBERS = 14;
const PHASES = Object.keys(PHASE).length;
const VOTES = Object.keys(VOTE).length;

/** Packs states into a few words, the same ones for all that differ only in which node, or which attempt, is which. */
export class StatePacking {
  /** Words of one state. */
  readonly width: number;
  readonly #orders: readonly (readonly number[])[];
  readonly #best: Uint32Array;
  readonly #tried: Uint32Array;

  constructor(
    private readonly nodes: number,
    private readonly attempts: number,
  ) {
    if (PHASES * (VOTES * NUMBERS ** 2) ** nodes > 2 ** 32)
      throw new RangeError(`an attempt on ${nodes} nodes fits into no word`);
    this.width = 1 + attempts;
    this.#orders = permutations(range(nodes));
    this.#best = new Uint32Array(attempts);
    this.#tried = new Uint32Array(attempts);
  }

  /** Fills `words`. */
  pack(state: State, words: Uint32Array): void {
    const [best, tried] = [this.#best, this.#tried];
    let found: readonly number[] | undefined;
    for (const order of this.#orders) {
      if (!ascends(state, order)) continue;
      for (let attempt = 0; attempt < this.attempts; attempt += 1) tried[attempt] = wordOf(state, attempt, order);
      tried.sort();
      if (!found || isBefore(tried, best)) best.set(tried);
      found ??= order;
    }
    let head = checked(state.at(state.latest));
    for (const node of found!) head = head * NUMBERS + checked(state.at(state.counter(node)));
    words[0] = head;
    words.set(best, 1);
  }

  unpack(words: Uint32Array): State {
    const state = State.initial(Array<number>(this.nodes).fill(0), this.attempts);
    const head = new Digits(words[0]!);
    for (let node = this.nodes - 1; node >= 0; node -= 1) state.cells[state.counter(node)] = head.take(NUMBERS);
    state.cells[state.latest] = head.take(NUMBERS);
    for (let attempt = 0; attempt < this.attempts; attempt += 1)
      this.#unpack(new Digits(words[1 + attempt]!), state, attempt);
    return state;
  }

  #unpack(word: Digits, state: State, attempt: number): void {
    for (let node = this.nodes - 1; node >= 0; node -= 1) {
      state.cells[state.raise(attempt, node)] = word.take(NUMBERS);
      state.cells[state.fence(attempt, node)] = word.take(NUMBERS);
      state.cells[state.vote(attempt, node)] = word.take(VOTES);
    }
    state.cells[state.phase(attempt)] = word.take(PHASES);
  }
}

/** The last that was packed comes first. */
class Digits {
  constructor(private word: number) {}

  /** One of so many. */
  take(many: number): number {
    const digit = this.word % many;
    this.word = (this.word - digit) / many;
    return digit;
  }
}

function wordOf(state: State, attempt: number, order: readonly number[]): number {
  let word = state.at(state.phase(attempt));
  for (const node of order) {
    word = word * VOTES + state.at(state.vote(attempt, node));
    word = word * NUMBERS + checked(state.at(state.fence(attempt, node)));
    word = word * NUMBERS + checked(state.at(state.raise(attempt, node)));
  }
  return word;
}

function checked(value: number): number {
  if (value >= NUMBERS) throw new RangeError(`${value} is none of ${NUMBERS} numbers`);
  return value;
}

/** Whether the counters of the nodes do, so that few orders have to be tried. */
function ascends(state: State, order: readonly number[]): boolean {
  for (let index = 1; index < order.length; index += 1) {
    if (state.at(state.counter(order[index - 1]!)) > state.at(state.counter(order[index]!))) return false;
  }
  return true;
}

function isBefore(one: Uint32Array, other: Uint32Array): boolean {
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return one[index]! < other[index]!;
  }
  return false;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}
