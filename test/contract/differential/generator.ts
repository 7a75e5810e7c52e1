import { counterOf, TOKENS_PER_VOTE } from '../../../lib/core/port/fencing.js';
import { DATA_OF_OTHERS } from '../../../lib/redis/scripts/protocol.js';
import { Dice } from '../../simulation/world/dice.js';
import { PROCESSES, type ClaimPlan, type Operation, type Sequence, type Step, type VerbName } from './sequence.js';

/** Ms by which any two ttls differ: more than a sequence takes, so that it is clear which of them an answer is of. */
export const TTL_STEP = 100_000;
const STEPS = 40;
const CLAIMS = 4 * PROCESSES;
/** Two with one fence counter, and two that are hard to read. */
const RESOURCES = [...pairWithOneCounter(), 'a name, with\nall: "kinds" of ~ signs', 'ключ'];
/** How often each is asked for, of a hundred times. */
const SHARES: readonly (readonly [VerbName, number])[] = [
  ['acquire', 37],
  ['release', 24],
  ['leave to the next', 8],
  ['yield', 12],
  ['extend', 9],
  ['keep', 4],
  ['raise', 6],
];
const MARKS = ['trusted', 'trusted', 'new', 'of another run', 'emptied'] as const;

/** Makes the sequence that a seed stands for. */
export class Generator {
  readonly #dice: Dice;
  readonly #plans: ClaimPlan[] = [];
  readonly #ttls = new Set<number>();
  readonly #restartQuarantine: boolean;
  readonly #repliesFirst: boolean;
  /** How many of all claims wait. */
  readonly #budget: number;
  /** How often counters were set. */
  #counts = 0;
  #alive = Array.from({ length: PROCESSES }, (_, index) => index);

  constructor(
    private readonly seed: number,
    private readonly maxTtl: number,
  ) {
    this.#dice = new Dice(seed);
    this.#restartQuarantine = this.#dice.chance(0.4);
    this.#repliesFirst = this.#dice.chance(0.3);
    this.#budget = this.#dice.pick([0, 0.3, 0.6, 0.6, 0.6, 0.9]);
    for (let index = 0; index < CLAIMS; index += 1) this.#plans.push(this.#plan(index));
  }

  sequence(): Sequence {
    const steps = Array.from({ length: STEPS }, () => this.#step());
    return { plans: this.#plans, steps, restartQuarantine: this.#restartQuarantine, repliesFirst: this.#repliesFirst };
  }

  #plan(index: number): ClaimPlan {
    const dice = this.#dice;
    const waits = dice.chance(this.#budget);
    const several = RESOURCES.filter(() => dice.chance(0.6));
    const resources = !waits && several.length > 1 && dice.chance(0.8) ? several : [dice.pick(RESOURCES)];
    // Some come in the same microsecond, and many wait on the same terms.
    const place = waits ? { arrived: 1_000 * dice.whole(1, 6), ttl: dice.pick([TTL_STEP, this.#ttl()]) } : undefined;
    const tokens = dice.pick([1, 1, TOKENS_PER_VOTE]);
    const plan = { process: index % PROCESSES, resources, value: this.#value(index), place, tokens };
    const other = this.#plans[index - PROCESSES];
    return other && dice.chance(0.2) && this.#isPartOf(other, plan) ? { ...plan, value: other.value } : plan;
  }

  /** Values of the usual length go another way than others. */
  #value(index: number): string {
    return `value-${this.seed}-${index}`.padStart(this.#dice.chance(0.8) ? 27 : this.#dice.whole(1, 40), '-');
  }

  /** Whether it could be of the same lock: all of that is asked for at once, or waited for one by one. */
  #isPartOf({ value }: ClaimPlan, plan: ClaimPlan): boolean {
    const parts = [plan, ...this.#plans.filter((other) => other.value === value)];
    const waiting = parts.filter(({ place }) => place).map(({ resources }) => resources[0]);
    const isWhole = ({ place, resources }: ClaimPlan): boolean => !place && resources.length > 1;
    return new Set(waiting).size === waiting.length && parts.every((part) => part.place ?? isWhole(part));
  }

  #step(): Step {
    const dice = this.#dice;
    if (dice.chance(0.06)) return { kind: 'vanish', resource: dice.pick(RESOURCES) };
    if (dice.chance(0.02)) return this.#count();
    if (dice.chance(0.04)) return this.#plant();
    const process = dice.pick(this.#alive);
    if (this.#alive.length > 1 && dice.chance(0.03)) {
      this.#alive = this.#alive.filter((other) => other !== process);
      return { kind: 'die', process };
    }
    if (this.#restartQuarantine && dice.chance(0.1)) return { kind: 'mark', as: dice.pick(MARKS) };
    const batches = Array.from({ length: dice.chance(0.7) ? 1 : dice.whole(2, 3) }, () => this.#batch(process));
    return { kind: 'ask', process, batches };
  }

  /** Sometimes above all that the node would give away. */
  #count(): Step {
    this.#counts += 1;
    const fence = this.#dice.pick([1, this.maxTtl * 600]) * this.#dice.whole(1, 10);
    return { kind: 'count', resource: this.#dice.pick(RESOURCES), fence };
  }

  #plant(): Step {
    const ttl = this.#dice.chance(0.5) ? this.#ttl() : undefined;
    const value = this.#dice.chance(0.3) ? DATA_OF_OTHERS : `foreign-${this.#dice.whole(1, 1_000)}`;
    return { kind: 'plant', resource: this.#dice.pick(RESOURCES), value, ttl };
  }

  #batch(process: number): Operation[] {
    // Much of what is asked at once is asked on the same terms.
    const common = { ttl: this.#ttl(), proposal: this.#proposal() };
    // Now and then more than go to a node in one call; one that answers first tells of grants after each of these calls.
    const isLarge = !this.#repliesFirst && this.#dice.chance(0.01);
    const length = isLarge ? this.#dice.whole(100, 200) : this.#dice.whole(1, 8);
    return Array.from({ length }, () => this.#operation(process, common));
  }

  #operation(process: number, common: Pick<Operation, 'ttl' | 'proposal'>): Operation {
    const dice = this.#dice;
    const claim = PROCESSES * dice.whole(0, CLAIMS / PROCESSES - 1) + process;
    const verb = this.#verb();
    // No claim raises without a token; only a claim with a place yields.
    if (verb === 'yield' && !this.#plans[claim]!.place) return this.#operation(process, common);
    const ttl = dice.chance(0.04) ? this.maxTtl + 1 : this.#ttl();
    const { proposal, ...terms } = dice.chance(0.5) ? common : { ttl, proposal: this.#proposal() };
    return { verb, claim, ...terms, proposal: verb === 'raise' ? (proposal ?? 1) : proposal };
  }

  #verb(): VerbName {
    let left = this.#dice.whole(1, 100);
    return SHARES.find(([, share]) => (left -= share) <= 0)![0];
  }

  /** No two are the same. */
  #ttl(): number {
    const ttl = TTL_STEP * this.#dice.whole(2, 5_000);
    if (this.#ttls.has(ttl)) return this.#ttl();
    this.#ttls.add(ttl);
    return ttl;
  }

  /**
   * Near each other, so that counters meet proposals, and now and then far from the clock. Those after a counter was
   * set back are above all before it: a node never gives a token twice, because time goes on, and a process that hears
   * of a token again takes it for a repeated message.
   */
  #proposal(): number | undefined {
    const dice = this.#dice;
    if (dice.chance(0.1)) return undefined;
    return dice.chance(0.03) ? dice.pick([1, -1]) * this.maxTtl * 600 : dice.whole(1, 2_000) + 2_100 * this.#counts;
  }
}

function pairWithOneCounter(): readonly [string, string] {
  const names = new Map<string, string>();
  for (let number = 0; ; number += 1) {
    const name = `resource-${number}`;
    const other = names.get(counterOf(name));
    if (other !== undefined) return [other, name];
    names.set(counterOf(name), name);
  }
}
