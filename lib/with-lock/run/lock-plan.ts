import { LONGEST_TIMER } from '../../engine/clock.js';
import {
  checkLockOptions,
  checkNames,
  DEFAULT_LOCK_OPTIONS,
  LOCK_OPTION_NAMES,
  type LockOptions,
  invalidValue,
  toTtl,
} from '../../engine/options.js';
import { mistake } from '../../engine/codes.js';
import { locateErrors } from '../../start-up/error-location.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { checkExceptionFactory, type ExceptionFactory } from '../reply/exceptions.js';
import { SharedRuns } from './shared-runs.js';
import { type CompiledKey, compileMethodKey, type LockKey } from '../key/lock-key.js';

type Mode = NonNullable<WithLockOptions['onContended']>;

/** The options of `@WithLock`. */
export interface WithLockOptions extends LockOptions {
  /**
   * What a call does if the resource is held. 'wait': wait. 'reject': fail at once. 'skip': return undefined without running. 'join': share the
   * outcome of the running call for this key in this process. Handlers that answer by `@Res()` take 'wait' or 'reject' only.
   * @default 'wait'
   */
  onContended?: 'wait' | 'reject' | 'skip' | 'join';
  /** The name of the pool. @default the pool without a name */
  name?: string;
  /** Returns the exception that the handler throws when its lock fails. @default the `exceptionFactory` of the module */
  exceptionFactory?: ExceptionFactory;
}

/** All that `@WithLock` says about one method, checked where the class is defined. */
export interface LockPlan {
  readonly key: CompiledKey;
  readonly options: LockOptions;
  readonly onContended: Mode;
  /** The calls that are under way, if equal calls share their outcome. */
  readonly sharedRuns: SharedRuns | undefined;
  readonly pool: string | undefined;
  readonly exceptionFactory: ExceptionFactory | undefined;
  /** `@WithLock on Class.method`, for messages. */
  readonly where: string;
}

const logger = new SafeLogger('RedlockService');
const MODES = ['wait', 'reject', 'skip', 'join'];
/** The modes that make one attempt only. */
const IMPATIENT: readonly Mode[] = ['reject', 'skip'];

/** @throws TypeError, RangeError for a malformed key or option, naming the method */
export function toPlan(key: LockKey, withLockOptions: WithLockOptions, where: string): LockPlan {
  checkNames(withLockOptions, [...LOCK_OPTION_NAMES, 'onContended', 'name', 'exceptionFactory'], where);
  const { onContended = 'wait', name, exceptionFactory, ...options } = withLockOptions;
  if (!MODES.includes(onContended))
    throw invalidValue(`${where}: onContended`, onContended, `one of ${MODES.join(', ')}`);
  if (name === '' || !['undefined', 'string'].includes(typeof name))
    throw invalidValue(`${where}: name`, name, 'the name of a pool');
  checkExceptionFactory(exceptionFactory, where);
  checkLockOptions(options, where);
  checkTtl(options, where);
  const compiled = compileMethodKey(key, where, logger);
  checkLimit(withLockOptions, compiled, where);
  const label = options.label ?? compiled.template ?? methodOf(where);
  return {
    key: compiled,
    options: Object.freeze({ ...options, label, ...(IMPATIENT.includes(onContended) && { waitTimeout: 0 }) }),
    onContended,
    sharedRuns: onContended === 'join' ? new SharedRuns() : undefined,
    pool: name,
    exceptionFactory,
    where,
  };
}

/** Returns `Class.method` of a text such as `@WithLock on Class.method`. */
function methodOf(where: string): string {
  return where.slice(where.lastIndexOf(' ') + 1);
}

function checkLimit({ limit, onContended }: WithLockOptions, { count = 1 }: CompiledKey, where: string): void {
  if (limit === undefined) return;
  if (onContended === 'join')
    throw mistake('REDLOCK_E08', `${where}: 'join' shares one run, so it does not go together with limit`);
  if (count > 1) throw mistake('REDLOCK_E08', `${where}: limit is for one key; got ${count}`);
}

/** Checks the ttl as far as possible: the `maxTtl` of the pool is not known yet. */
function checkTtl({ ttl, driftFactor = DEFAULT_LOCK_OPTIONS.driftFactor }: LockOptions, where: string): void {
  if (ttl !== undefined) locateErrors(where, () => toTtl(ttl, { driftFactor, maxTtl: LONGEST_TIMER }));
}

const PLAN = Symbol.for('nestjs-redlock:plan');

export function setPlan(method: object, plan: LockPlan): void {
  Reflect.defineMetadata(PLAN, plan, method);
}

export function planOf(method: object): LockPlan | undefined {
  return Reflect.getMetadata(PLAN, method) as LockPlan | undefined;
}
