import {
  checkNames,
  checkValues,
  defaultsWithin,
  FLAG,
  type LockOptions,
  MAX_TTL,
  misfit,
  ms,
  prepareOptions,
  readLockOptions,
  readTexts,
  type Rule,
  inRange,
} from './engine/options.js';
import { LONGEST_TIMER } from './engine/clock.js';
import { MOST_RESOURCES, reservedEndingBegunBy } from './engine/resources.js';
import { locating } from './start-up/error-location.js';
import type { IoredisClient } from './redis/connection/settings/node-address.js';
import type { NodeOptions } from './redis/connection/settings/node-options.js';
import { checkExceptionFactory, type ExceptionFactory } from './with-lock/reply/exceptions.js';

const WHERE = 'RedlockModule';

export interface RedlockModuleOptions {
  /**
   * The independent masters, each as a URL ('redis://', 'rediss://'), as ioredis options, or as an ioredis client whose options are used for
   * connections of their own. An odd number of them is best. They may be left out only with `enabled: false`.
   */
  nodes?: (string | NodeOptions | IoredisClient)[];
  /**
   * Set it to false if there is no Redis. The pool then connects to nothing, and its locks hold within this process only, so that replicas
   * no longer exclude each other. @default true
   */
  enabled?: boolean;
  /** What the keys of all locks begin with; '' leaves the names as they are, and so shares the keys with other Redlock libraries. @default 'lock:' */
  keyPrefix?: string;
  /** Ms that a lease may last at most, and for which a restarted node does not vote; has to be the same for all clients. @default 30_000 */
  maxTtl?: number;
  /**
   * Keeps a node that was restarted, emptied or set back to an older state out of the vote for `maxTtl` ms, since it may have
   * forgotten locks. A new node looks the same, so that the first lock on new nodes takes that long. Set it to false in development
   * and tests only. @default true
   */
  restartQuarantine?: boolean;
  /**
   * Makes the start of the application wait until enough nodes vote: true waits for as long as that takes; a number waits for so many ms, and
   * then the start fails. @default false: the application starts, and calls fail until enough nodes vote
   */
  waitForQuorum?: boolean | number;
  /** Ms a node may take to answer before the others decide without it. @default ttl / 20, at least 5 and at most 50 */
  nodeTimeout?: number;
  /** Ms for which the shutdown lets holders finish once the servers of the application are closed; then their locks are lost. @default 5_000 */
  shutdownTimeout?: number;
  /** How many callers of this process may wait for one resource; any further caller is told at once that it is locked. @default 10_000 */
  maxWaiters?: number;
  /** How many resources one lock may take, from 1 to 128: a lock on many resources keeps a node busy while others wait. @default 64 */
  maxResources?: number;
  /**
   * The name of this application, for operators: in the names of its connections (`CLIENT LIST`), and where the command of this package says who holds
   * a lock. @default the name in its package.json, if npm has started it
   */
  application?: string;
  /**
   * Shows resources in log lines by their whole names, including e-mail addresses; otherwise names end at the first
   * separator: `user:*`. @default false
   */
  logKeys?: boolean;
  /** The options of every lock that does not set them itself. */
  defaults?: LockOptions;
  /** Makes the exception that a handler throws when its lock fails. @default 409, 503 and 400 with a code, and their equivalents outside HTTP */
  exceptionFactory?: ExceptionFactory;
}

/** Characters that the name of an application has at most: each node keeps it. */
const MOST_OF_NAME = 200;

const wholeNumber = (least: number, most = Infinity): Rule => [
  (value) => Number.isInteger(value) && inRange(least, most)(value),
  `a whole number from ${least}${most === Infinity ? '' : ` to ${most}`}`,
];

/** The rules of all options; undefined for those that are checked in another way. */
const RULES: { readonly [name in keyof Required<RedlockModuleOptions>]: Rule | undefined } = {
  nodes: undefined,
  keyPrefix: undefined,
  maxTtl: ms(10),
  restartQuarantine: FLAG,
  waitForQuorum: [
    (value) => typeof value === 'boolean' || inRange(1, LONGEST_TIMER)(value),
    `true, false, or a number of ms from 1 to ${LONGEST_TIMER}`,
  ],
  nodeTimeout: ms(1),
  shutdownTimeout: ms(0),
  maxWaiters: wholeNumber(0),
  maxResources: wholeNumber(1, MOST_RESOURCES),
  defaults: undefined,
  exceptionFactory: undefined,
  enabled: FLAG,
  logKeys: FLAG,
  application: [
    (value) => typeof value === 'string' && value !== '' && value.length <= MOST_OF_NAME,
    `a name of 1 to ${MOST_OF_NAME} characters`,
  ],
};

export const MODULE_OPTION_NAMES: readonly string[] = Object.keys(RULES);

/**
 * Returns the checked options. The texts of an environment are read as numbers and flags.
 * @throws TypeError, RangeError that name the option, the value and the bound
 */
export function readModuleOptions(options: RedlockModuleOptions, extras: readonly string[] = []): RedlockModuleOptions {
  refuseExtras(options, extras);
  checkNames(options, [...MODULE_OPTION_NAMES, ...extras], WHERE);
  // Read by name, because the options may be an object of a class, whose getters are no properties of its own.
  const given = MODULE_OPTION_NAMES.map((name) => [name, options[name as keyof typeof options]] as const);
  const values: RedlockModuleOptions = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const read = readTexts(values, RULES);
  checkValues(read, RULES, WHERE);
  checkPrefix(read.keyPrefix);
  checkExceptionFactory(read.exceptionFactory, WHERE);
  if (read.defaults !== undefined) read.defaults = readDefaults(read.defaults, read.maxTtl ?? MAX_TTL);
  return read;
}

/** @throws TypeError for what stands beside `useFactory`, and not in what that returns */
function refuseExtras(options: object, allowed: readonly string[]): void {
  const extra = ['isGlobal', 'name'].find((name) => !allowed.includes(name) && Object.hasOwn(Object(options), name));
  if (extra === undefined) return;
  throw new TypeError(`${WHERE}.forRootAsync: ${extra} stands beside useFactory, not in the options that it returns`);
}

const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/** @throws TypeError if none of `useFactory`, `useClass` and `useExisting` says where the options come from */
export function checkAsyncOptions(
  options: { readonly [Name in (typeof SOURCES)[number]]?: unknown } | undefined,
): void {
  const given = SOURCES.filter((name) => options?.[name] !== undefined);
  if (given.length === 0)
    throw new TypeError(
      'RedlockModule.forRootAsync needs one of useFactory (a function that returns the options), useClass and useExisting (a class ' +
        'with createRedlockOptions())',
    );
  const wrong = given.find((name) => name !== 'useExisting' && typeof options?.[name] !== 'function');
  if (wrong === undefined) return;
  const kind = wrong === 'useFactory' ? 'a function' : 'a class';
  throw misfit(`RedlockModule.forRootAsync: ${wrong}`, options?.[wrong], kind);
}

function readDefaults(defaults: LockOptions, maxTtl: number): LockOptions {
  const where = `${WHERE}: defaults`;
  const read = readLockOptions(defaults, where);
  locating(where, () => prepareOptions(defaultsWithin(maxTtl), read, maxTtl));
  return read;
}

function checkPrefix(prefix: unknown): void {
  if (prefix === undefined) return;
  if (typeof prefix !== 'string') throw misfit('RedlockModule: keyPrefix', prefix, 'a string');
  if (!prefix.isWellFormed())
    throw misfit('RedlockModule: keyPrefix', prefix, 'well-formed Unicode, without halves of surrogate pairs');
  const ending = reservedEndingBegunBy(prefix);
  if (ending === undefined) return;
  const bound = `without the beginning of the reserved ending "${ending}" at its end: some resource would complete it`;
  throw misfit('RedlockModule: keyPrefix', prefix, bound);
}
