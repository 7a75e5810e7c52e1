import type { SharedChoices } from './choices.js';
import { Judge } from './judge.js';
import type { Process, World } from './world.js';
import type { Lock } from '../../lib/engine/lock.js';

/** The resource that several callers may hold at once. */
export const GROUP = 'group';
/** The share of holds that take up to a little more than one lease. */
const LONG = 0.05;
/** How much longer than one lease these may take. */
const LONGEST = 1.2;

/** A holder of one slot, or of all. */
interface Share {
  readonly process: Process;
  readonly slots: readonly number[];
  isValid(): boolean;
}

/** Looks at every grant: never more than `limit` holders, one holder of each slot, and nobody beside a holder of all slots. */
export class LimitJudge {
  grants = 0;
  readonly #violations: string[] = [];
  /** Judges each slot as an ordinary lock. */
  readonly #slots: Judge;
  #shares: Share[] = [];

  constructor(
    private readonly world: World,
    private readonly limit: number,
  ) {
    this.#slots = new Judge(world, Infinity);
  }

  get violations(): readonly string[] {
    return [...this.#violations, ...this.#slots.violations];
  }

  granted(process: Process, lock: Lock, { isAll, isOver }: { isAll: boolean; isOver(): boolean }): void {
    const { limit } = this;
    this.grants += 1;
    const isValid = (): boolean => !isOver() && lock.isValid;
    const slots = isAll ? Array.from({ length: limit }, (_, slot) => slot) : [lock.slot ?? -1];
    this.#count({ process, slots, isValid });
    const [slot] = slots;
    if (!isAll && !(Number.isInteger(slot) && slot! >= 0 && slot! < limit)) this.#note(`SLOT ${slot} of ${limit}`);
    if (isAll && lock.slot !== undefined) this.#note(`SLOT ${lock.slot} of a holder of all slots`);
    if (String(lock.resources) !== GROUP) this.#note(`RESOURCES ${String(lock.resources)} instead of ${GROUP}`);
    const isTold = this.world.random() < 0.5 ? () => isOver() || lock.signal.aborted : undefined;
    void isTold?.();
    for (const one of slots) this.#slots.granted(`${GROUP}~${one}`, { process, isValid, isTold }, lock.fencingToken);
  }

  #count(share: Share): void {
    const { limit } = this;
    const others = this.#shares.filter(({ process, isValid }) => !process.isDead && isValid());
    this.#shares = [...others, share];
    const held = this.#shares.reduce((sum, { slots }) => sum + slots.length, 0);
    if (held <= limit) return;
    const who = this.#shares.map(({ process, slots }) => `p${process.id} has ${slots.join('+')}`).join(', ');
    const isAlone = this.#shares.every(({ slots }) => slots.length === 1);
    this.#note(`${isAlone ? `MORE THAN ${limit} HOLDERS` : 'ALL, AND NOT ALONE'}: ${who}`);
  }

  #note(violation: string): void {
    this.#violations.push(`${violation} at ${this.world.time.toFixed(1)}`);
  }
}

/** Callers of one resource with a limit. */
export class LimitCallers {
  readonly judge: LimitJudge;
  /** The processes of those that hold the resource now. */
  readonly #holding: Process[] = [];

  constructor(
    private readonly world: World,
    private readonly choices: SharedChoices,
  ) {
    this.judge = new LimitJudge(world, choices.limit);
  }

  /** How many hold the resource now, on processes that are alive. */
  get holding(): number {
    return this.#holding.filter(({ isDead }) => !isDead).length;
  }

  async call(process: Process): Promise<void> {
    const isAll = this.world.random() < this.choices.all;
    process.open += 1;
    const lock = await this.#acquire(process, isAll);
    process.open -= 1;
    if (lock === undefined) return;
    this.#holding.push(process);
    await this.#hold(process, lock, isAll);
    this.#holding.splice(this.#holding.indexOf(process), 1);
  }

  #acquire({ redlock }: Process, isAll: boolean): Promise<Lock | undefined> {
    const { world } = this;
    const { ttl, tries, waits, forget, limit } = this.choices;
    const waitTimeout = world.random() < tries ? 0 : waits === Infinity ? Infinity : waits * world.random() + 1;
    const autoExtend = forget === 0 && world.random() < 0.5;
    const options = { ttl, waitTimeout, autoExtend, retryDelay: 200, retryJitter: 50, limit };
    return redlock.acquire(GROUP, { ...options, take: isAll ? 'all' : 1 }).catch(() => undefined);
  }

  async #hold(process: Process, lock: Lock, isAll: boolean): Promise<void> {
    const { world, judge } = this;
    const { ttl, hold, forget } = this.choices;
    let isOver = false;
    judge.granted(process, lock, { isAll, isOver: () => isOver });
    await world.sleep(process, world.random() < LONG ? ttl * LONGEST * world.random() : hold * world.random());
    if (world.random() < forget) return;
    isOver = true;
    void lock.release();
  }
}
