import type { RedisOptions } from 'ioredis';
import {
  checkLockOptions,
  checkNames,
  defaultsWithin,
  MAX_TTL,
  misfit,
  resolveLockOptions,
  type LockOptions,
} from './core/options.js';
import { LONGEST_TIMER } from './core/clock.js';
import { checkExceptionFactory, type ExceptionFactory } from './with-lock/exception-factory.js';

export interface RedlockModuleOptions {
  /**
   * The independent masters, best an odd number of them: URLs ('redis://', 'rediss://') or ioredis options; never a live client.
   * Only where the pool is not `enabled` they may be missing.
   */
  // A Connector is a class, and that of an application's own ioredis 5 would make all of its options another type.
  nodes?: (string | Omit<RedisOptions, 'Connector'>)[];
  /**
   * Set it to false where there is no Redis: nothing is connected to, and locks hold within this process only, so that replicas no
   * longer exclude each other. @default true
   */
  enabled?: boolean;
  /** What the keys of all locks begin with; '' shares them with other Redlock libraries as they are. @default 'lock:' */
  keyPrefix?: string;
  /** Ms that a lease may last at most, and that a restarted node stays out of the vote; the same for all clients. @default 30_000 */
  maxTtl?: number;
  /**
   * Keeps a node that was restarted, emptied or set back out of the vote for `maxTtl` ms, since it may have forgotten locks; also
   * new nodes, so that the first lock on them takes that long. Set it to false in development and tests only. @default true
   */
  restartQuarantine?: boolean;
  /** Ms a node may take to answer before the others decide without it. @default ttl / 20, at least 5 and at most 50 */
  nodeTimeout?: number;
  /** Ms for which shutdown lets holders finish before their locks are taken away. @default 5_000 */
  shutdownTimeout?: number;
  /** How many callers of this process may wait for one resource; whoever comes then is told at once that it is locked. @default 10_000 */
  maxWaiters?: number;
  /** What holds for every lock that does not say otherwise. */
  defaults?: LockOptions;
  /** Makes what handlers throw where a lock fails. @default 409, 503 and 400 with a code, and their equivalents beside HTTP */
  exceptionFactory?: ExceptionFactory;
}

export const MODULE_OPTION_NAMES = [
  'nodes',
  'keyPrefix',
  'maxTtl',
  'restartQuarantine',
  'nodeTimeout',
  'shutdownTimeout',
  'maxWaiters',
  'defaults',
  'exceptionFactory',
  'enabled',
];

/** @throws TypeError, RangeError that name the option, the value and the bound */
export function checkModuleOptions(options: RedlockModuleOptions, extras: readonly string[] = []): void {
  checkNames(options, [...MODULE_OPTION_NAMES, ...extras], 'RedlockModule');
  const { enabled, keyPrefix, maxTtl, restartQuarantine, nodeTimeout, shutdownTimeout, maxWaiters, defaults } = options;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw misfit('RedlockModule: enabled', enabled, 'true or false');
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string')
    throw misfit('RedlockModule: keyPrefix', keyPrefix, 'a string');
  checkMs('maxTtl', maxTtl, 10);
  if (restartQuarantine !== undefined && typeof restartQuarantine !== 'boolean')
    throw misfit('RedlockModule: restartQuarantine', restartQuarantine, 'true or false');
  checkMs('nodeTimeout', nodeTimeout, 1);
  checkMs('shutdownTimeout', shutdownTimeout, 0);
  if (maxWaiters !== undefined && !(Number.isInteger(maxWaiters) && maxWaiters >= 0))
    throw misfit('RedlockModule: maxWaiters', maxWaiters, 'a whole number from 0');
  checkExceptionFactory(options.exceptionFactory, 'RedlockModule');
  if (defaults === undefined) return;
  checkLockOptions(defaults, 'RedlockModule: defaults');
  resolveLockOptions(defaultsWithin(maxTtl ?? MAX_TTL), defaults, maxTtl ?? MAX_TTL);
}

function checkMs(name: string, value: unknown, least: number): void {
  if (value === undefined || (typeof value === 'number' && value >= least && value <= LONGEST_TIMER)) return;
  throw misfit(`RedlockModule: ${name}`, value, `a number of ms from ${least} to ${LONGEST_TIMER}`);
}
