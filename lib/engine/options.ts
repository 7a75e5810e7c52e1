import type { OpenedByVote } from './lock-node.js';
import { inspect } from 'node:util';
import type { AbortSignalLike } from './abort.js';
import { LONGEST_TIMER } from './clock.js';
import { driftOf } from './clock.js';
import { mistake } from './codes.js';

/** The options of a lock: for one call, or as `defaults` of a pool. */
export interface LockOptions {
  /**
   * Ms that a lease lasts unless it is extended. If a holder crashes, other callers wait for the rest of its lease.
   * @default 5_000
   */
  ttl?: number;
  /**
   * Ms to wait for a held resource; 0 is one attempt. Choose a value above `ttl`, so that a call outlasts a crashed holder.
   * @default 8_000
   */
  waitTimeout?: number;
  /**
   * Ms to wait while too few nodes vote. The time starts again when a quorum has answered. A shorter `waitTimeout` ends the wait earlier.
   * @default 1_000
   */
  quorumTimeout?: number;
  /** How many attempts may follow the first attempt. @default Infinity: `waitTimeout` decides */
  retryCount?: number;
  /** Ms between two attempts. A waiter usually gets the lock by hand-off, long before its next attempt. @default 200 */
  retryDelay?: number;
  /** Ms by which `retryDelay` varies at random. @default 100 */
  retryJitter?: number;
  /** Share of `ttl` that is subtracted, because clocks run at different rates. @default 0.01 */
  driftFactor?: number;
  /** Extends the lease after each third of its `ttl`. @default false with `acquire` and `tryAcquire`; true with `withLock` and `@WithLock` */
  autoExtend?: boolean;
  /** Ms after which automatic extension ends, so that a stuck holder frees the resource. @default 600_000 */
  maxHold?: number;
  /**
   * Ms for which the resource stays locked at least, even if the work ends earlier. A shorter `ttl` is raised to `minHold`. Use it for short
   * jobs on replicas whose clocks differ.
   * @default none: a release frees the resource
   */
  minHold?: number;
  /**
   * Runs the work inside the lock that the code around the call already holds on this resource. Without this option, the call waits like
   * every other caller. `acquire` and `tryAcquire` always take a lock of their own.
   * @default false
   */
  reentrant?: boolean;
  /**
   * How many callers may hold the resource at once, from 1 to 64. Every caller needs the same `limit`: callers with and without a limit do not
   * exclude each other.
   * @default none: one holder
   */
  limit?: number;
  /** With `limit`: takes one slot, or all of them, and then nobody else holds the resource. @default 1 */
  take?: 1 | 'all';
  /**
   * Names the call in telemetry. Write a constant text, because each label is a time series.
   * @default the key template of `@WithLock`, or the name of the method if its key is a function; none for other calls
   */
  label?: string;
  /** Ends the wait when the signal aborts. The call then rejects with `signal.reason`. @default none */
  signal?: AbortSignal;
}

/** The options of a call, checked, and with the defaults of its pool if the call says nothing. */
export type PreparedOptions = Required<Omit<LockOptions, Unset>> & Pick<LockOptions, Unset>;
type Unset = 'minHold' | 'limit' | 'take' | 'label' | 'signal';

/** What one call has for itself beside the options that many calls share. */
export interface OwnOptions {
  /** Ends the wait of this call, in place of the signal of the options. */
  readonly signal?: AbortSignalLike | undefined;
  /** Whether the caller goes on without the lock if somebody else holds it; telemetry tells such calls from refused ones. */
  readonly skips?: boolean | undefined;
  /** The record that the votes open. */
  readonly opens?: OpenedByVote | undefined;
  /** Whether the caller may wait for days: it asks the nodes seldom, together with the other candidates of this process. */
  readonly isCandidate?: boolean | undefined;
}

export const DEFAULT_LOCK_OPTIONS = {
  ttl: 5_000,
  // Longer than the ttl, so that a caller that waits behind a crashed holder gets the lock, not an error.
  waitTimeout: 8_000,
  quorumTimeout: 1_000,
  retryCount: Infinity,
  retryDelay: 200,
  retryJitter: 100,
  driftFactor: 0.01,
  autoExtend: false,
  maxHold: 600_000,
  reentrant: false,
} satisfies PreparedOptions;

/** Ms. @see RedlockModuleOptions.maxTtl */
export const MAX_TTL = 30_000;

/** Ms that must be left of a lease after its drift is subtracted: the shortest timeout of a node. */
const LEAST_LEFT = 5;

/** How many slots a limit has at most: a call may ask for all of them in one batch. */
const MOST_SLOTS = 64;

/** Which values an option can have, as a check and as the words of its error. */
export type Rule = readonly [fits: (value: unknown) => boolean, bound: string];

export const FLAG: Rule = [(value) => typeof value === 'boolean', 'true or false'];

export const ms = (least: number): Rule => [
  inRange(least, LONGEST_TIMER),
  `a number of ms from ${least} to ${LONGEST_TIMER}`,
];
const msOrNever = (least: number): Rule => [
  (value) => value === Infinity || inRange(least, LONGEST_TIMER)(value),
  `a number of ms from ${least} to ${LONGEST_TIMER}, or Infinity`,
];

const RULES: { readonly [name in keyof Required<LockOptions>]: Rule } = {
  ttl: ms(1),
  waitTimeout: msOrNever(0),
  quorumTimeout: msOrNever(0),
  retryCount: [
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 0),
    'a whole number from 0, or Infinity',
  ],
  retryDelay: ms(0),
  retryJitter: ms(0),
  driftFactor: [inRange(0, 0.5), 'a number from 0 to 0.5'],
  autoExtend: FLAG,
  maxHold: msOrNever(1),
  minHold: ms(0),
  reentrant: FLAG,
  limit: [
    (value) => Number.isInteger(value) && inRange(1, MOST_SLOTS)(value),
    `a whole number from 1 to ${MOST_SLOTS}`,
  ],
  take: [(value) => value === 1 || value === 'all', "1 or 'all'"],
  label: [(value) => typeof value === 'string' && value !== '', 'a text that is not empty'],
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
};

export const LOCK_OPTION_NAMES: readonly string[] = Object.keys(RULES);

export function inRange(least: number, most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}

/**
 * Checks the names, types and bounds of lock options; `where` says in the error where they come from.
 * @throws TypeError for an unknown or wrongly typed option, RangeError for a value out of bounds
 */
export function checkLockOptions(options: LockOptions, where: string): void {
  checkNames(options, LOCK_OPTION_NAMES, where);
  checkValues(options, RULES, where);
  if (options.take !== undefined && options.limit === undefined)
    throw mistake('REDLOCK_E03', `${where}: take needs limit, the number of slots`);
}

/** Refuses what makes no sense as an option of every lock. @throws TypeError */
export function checkDefaults(defaults: LockOptions): void {
  checkLockOptions(defaults, 'defaults');
  if (defaults.limit !== undefined)
    throw mistake('REDLOCK_E03', 'defaults: limit belongs to the calls for one resource, not to all locks of a pool');
}

/**
 * Returns checked lock options that come from settings, where texts may stand for numbers and flags.
 * @throws TypeError for an unknown or wrongly typed option, RangeError for a value out of bounds
 */
export function readLockOptions(options: LockOptions, where: string): LockOptions {
  checkNames(options, LOCK_OPTION_NAMES, where);
  const read = readTexts(optionsNamed(LOCK_OPTION_NAMES, options), RULES);
  checkValues(read, RULES, where);
  return read;
}

/** Returns the options that are set, read by name: they may be an object of a class, whose getters are no properties of its own. */
export function optionsNamed<T extends object>(names: readonly string[], options: T): T {
  const all = names.map((name) => [name, options[name as keyof T]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as T;
}

/** Returns a copy in which texts are the numbers and flags that the rules ask for, because settings from the environment are texts. */
export function readTexts<T extends object>(options: T, rules: Rules<T>): T {
  const names = Object.keys(options) as (keyof T & string)[];
  return Object.fromEntries(names.map((name) => [name, readText(options[name], rules[name])])) as T;
}

/** Returns a text that does not fit as it is, so that the error shows what was written. */
function readText(value: unknown, rule: Rule | undefined): unknown {
  if (typeof value !== 'string' || value.trim() === '' || !rule || rule[0](value)) return value;
  const read = value === 'true' || (value !== 'false' && Number(value));
  return rule[0](read) ? read : value;
}

type Rules<T> = { readonly [name in keyof T]?: Rule | undefined };

/** Checks those options that are present, since this runs with every call, and for which there is a rule. */
export function checkValues<T extends object>(options: T, rules: Rules<T>, where: string): void {
  for (const name of Object.keys(options) as (keyof T & string)[]) {
    const rule = rules[name];
    const value = options[name];
    if (rule && value !== undefined && !rule[0](value)) throw invalidValue(`${where}: ${name}`, value, rule[1]);
  }
}

/** Returns the default options of a pool that allows leases of `maxTtl` ms at most. */
export function defaultsWithin(maxTtl: number): PreparedOptions {
  return { ...DEFAULT_LOCK_OPTIONS, ttl: Math.min(DEFAULT_LOCK_OPTIONS.ttl, maxTtl) };
}

/** Returns `base` with the checked options on top; throws a RangeError for a ttl that is too short, and for values above `maxTtl`. */
export function prepareOptions(base: PreparedOptions, options: LockOptions, maxTtl = LONGEST_TIMER): PreparedOptions {
  const prepared: PreparedOptions = { ...base };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) (prepared as unknown as Record<string, unknown>)[name] = value;
  }
  prepared.ttl = toTtl(prepared.ttl, { driftFactor: prepared.driftFactor, maxTtl });
  const { minHold } = prepared;
  if (minHold === undefined) return prepared;
  if (minHold > maxTtl)
    throw invalidValue('minHold', minHold, `at most maxTtl, ${maxTtl} ms; set maxTtl, on all clients`);
  // So that `minHold` is kept even if the holder crashes, or nodes cannot be reached at the release.
  prepared.ttl = Math.max(prepared.ttl, Math.ceil(minHold));
  return prepared;
}

/** Throws a TypeError that names the first unknown option. */
export function checkNames(options: unknown, known: readonly string[], where: string): void {
  if (typeof options !== 'object' || options === null)
    throw mistake('REDLOCK_E03', `${where}: options must be an object`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw mistake('REDLOCK_E03', `${where}: there is no option "${unknown}"; there are ${known.join(', ')}`);
  }
}

/** Returns the error for a value that does not fit; it names the option, the value and the bound. */
export function invalidValue(name: string, value: unknown, bound: string): Error {
  const isBeyond = typeof value === 'number' && /\d/.test(bound);
  const Kind = isBeyond ? RangeError : TypeError;
  const got = inspect(value, { depth: 1, breakLength: Infinity });
  return mistake('REDLOCK_E03', `${name} must be ${bound}; got ${got}`, { Kind });
}

/**
 * Returns the ttl in whole ms, as Redis takes it.
 * @throws RangeError for a ttl that may be over before all nodes have answered, or that is above `maxTtl`
 */
export function toTtl(
  value: number,
  { driftFactor, maxTtl }: { readonly driftFactor: number; readonly maxTtl: number },
): number {
  if (!RULES.ttl[0](value)) throw invalidValue('ttl', value, RULES.ttl[1]);
  const ttl = Math.floor(value);
  if (ttl > maxTtl)
    throw invalidValue(
      'ttl',
      value,
      `at most maxTtl, ${maxTtl} ms; a longer hold is what autoExtend is for, or set maxTtl`,
    );
  const drift = driftOf(ttl, driftFactor);
  if (ttl - drift <= LEAST_LEFT) {
    const bound = `more than ${drift + LEAST_LEFT} ms: its clock drift of ${drift} ms, and ${LEAST_LEFT} ms in which nodes may answer`;
    throw invalidValue('ttl', value, bound);
  }
  return ttl;
}
