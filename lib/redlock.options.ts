import {
  checkNames,
  checkValues,
  defaultsWithin,
  FLAG,
  type LockOptions,
  MAX_TTL,
  invalidValue,
  ms,
  optionsNamed,
  prepareOptions,
  readLockOptions,
  readTexts,
  type Rule,
  inRange,
} from './engine/options.js';
import { LONGEST_TIMER } from './engine/clock.js';
import { MOST_RESOURCES, reservedEndingBegunBy } from './engine/resources.js';
import { locateErrors } from './start-up/error-location.js';
import type { IoredisClient } from './redis/connection/settings/node-address.js';
import type { NodeOptions } from './redis/connection/settings/node-options.js';
import { checkExceptionFactory, type ExceptionFactory } from './with-lock/reply/exceptions.js';
import { mistake } from './engine/codes.js';

const WHERE = 'RedlockModule';

/** The options of a pool. */
export interface RedlockModuleOptions {
  /**
   * The independent nodes: URLs ('redis://', 'rediss://'), ioredis options, or ioredis clients, whose options are copied for connections of
   * the pool. Use an odd number. All replicas need the same nodes.
   * @default required, unless `enabled` is false
   */
  nodes?: (string | NodeOptions | IoredisClient)[];
  /**
   * False works without Redis. Locks then hold within this process only, and replicas do not exclude each other.
   * @default true
   */
  enabled?: boolean;
  /** The beginning of all keys. '' shares the keys with other Redlock libraries. All replicas need the same prefix. @default 'lock:' */
  keyPrefix?: string;
  /** Ms of the longest lease, and of the quarantine of a restarted node. All processes need the same value. @default 30_000 */
  maxTtl?: number;
  /**
   * Keeps a new, restarted or emptied node in quarantine for `maxTtl` ms, because the node may have forgotten locks. Set false in development
   * and tests only.
   * @default true
   */
  restartQuarantine?: boolean;
  /**
   * Delays startup until enough nodes vote. True waits without a limit. A number waits for so many ms, and then startup fails.
   * @default false: the application starts, and calls fail until enough nodes vote
   */
  waitForQuorum?: boolean | number;
  /** Ms that a node may take to answer before the other nodes decide. Choose a value above the usual round trip. @default `ttl` / 20, from 5 to 50 */
  nodeTimeout?: number;
  /** Ms that holders have to finish at shutdown, once the servers of the application are closed. Then their locks are lost. @default 5_000 */
  shutdownTimeout?: number;
  /** How many callers of this process may wait for one resource. Further callers get a `ResourceLockedError` at once. @default 10_000 */
  maxWaiters?: number;
  /** How many resources one lock may take. A lock on many resources keeps a node busy. @default 64 */
  maxResources?: number;
  /**
   * The name of this application for operators: in `CLIENT LIST`, in errors and on the command line.
   * @default the name in package.json, if npm has started the application
   */
  application?: string;
  /**
   * True writes full names of resources into the log. False cuts them at the first separator: `user:*`.
   * @default false
   */
  logKeys?: boolean;
  /** The options of every lock, unless a call sets its own. @default none */
  defaults?: LockOptions;
  /** Returns the exception that a handler throws when its lock fails. @default 409, 503 and 400 with a code, and their equivalents outside HTTP */
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
  const read = readTexts(optionsNamed(MODULE_OPTION_NAMES, options), RULES);
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
  throw mistake(
    'REDLOCK_E04',
    `${WHERE}.forRootAsync: write ${extra} beside useFactory, not in the options that useFactory returns`,
  );
}

const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/** @throws TypeError if none of `useFactory`, `useClass` and `useExisting` says where the options come from */
export function checkAsyncOptions(
  options: { readonly [Name in (typeof SOURCES)[number]]?: unknown } | undefined,
): void {
  const given = SOURCES.filter((name) => options?.[name] !== undefined);
  if (given.length === 0)
    throw mistake(
      'REDLOCK_E04',
      'RedlockModule.forRootAsync needs one of useFactory (a function that returns the options), useClass and useExisting (a class ' +
        'with createRedlockOptions())',
    );
  const wrong = given.find((name) => name !== 'useExisting' && typeof options?.[name] !== 'function');
  if (wrong === undefined) return;
  const kind = wrong === 'useFactory' ? 'a function' : 'a class';
  throw invalidValue(`RedlockModule.forRootAsync: ${wrong}`, options?.[wrong], kind);
}

function readDefaults(defaults: LockOptions, maxTtl: number): LockOptions {
  const where = `${WHERE}: defaults`;
  const read = readLockOptions(defaults, where);
  locateErrors(where, () => prepareOptions(defaultsWithin(maxTtl), read, maxTtl));
  return read;
}

function checkPrefix(prefix: unknown): void {
  if (prefix === undefined) return;
  if (typeof prefix !== 'string') throw invalidValue('RedlockModule: keyPrefix', prefix, 'a string');
  if (!prefix.isWellFormed())
    throw invalidValue('RedlockModule: keyPrefix', prefix, 'well-formed Unicode, without halves of surrogate pairs');
  const ending = reservedEndingBegunBy(prefix);
  if (ending === undefined) return;
  const bound = `a text that does not end in a part of the reserved ending "${ending}"`;
  throw invalidValue('RedlockModule: keyPrefix', prefix, bound);
}
