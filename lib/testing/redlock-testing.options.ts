import { checkNames, invalidValue } from '../engine/options.js';
import { MODULE_OPTION_NAMES, readModuleOptions, type RedlockModuleOptions } from '../redlock.options.js';

/** The options of `RedlockTestingModule`. */
export interface RedlockTestingOptions extends Omit<RedlockModuleOptions, 'nodes' | 'keyPrefix' | 'enabled'> {
  /** How many nodes in memory each pool has. @default 3 */
  nodes?: number;
  /** 'manual' moves by `advance(ms)` only. 'real' runs by itself, or with the fake timers of Jest or Vitest. @default 'real' */
  clock?: 'real' | 'manual';
  /** The names of further pools to provide. @default [] */
  pools?: readonly string[];
  /** Keeps new and restarted nodes in quarantine for `maxTtl` ms, like nodes on Redis. @default false */
  restartQuarantine?: boolean;
  /**
   * Delays startup until enough nodes vote: true without a limit, a number for so many ms. It needs the clock 'real'.
   * @default false, even if the application sets it
   */
  waitForQuorum?: boolean | number;
  /** Ms that holders have to finish when the application closes. It overrides the `shutdownTimeout` of the application. @default 100 */
  shutdownTimeout?: number;
  /** Makes the pools visible to all modules. @default false */
  isGlobal?: boolean;
}

/** The options of a service on nodes in memory. */
export type PoolOptions = Omit<RedlockModuleOptions, 'nodes' | 'keyPrefix'>;

const WHERE = 'RedlockTestingModule';
const NOT_HERE = ['keyPrefix', 'enabled'];
const NAMES = [...MODULE_OPTION_NAMES.filter((name) => !NOT_HERE.includes(name)), 'clock', 'pools', 'isGlobal'];
const MOST_NODES = 99;
/** Ms; less than test runners allow a hook. */
const SHUTDOWN_TIMEOUT = 100;

/**
 * Returns the checked options.
 * @throws TypeError, RangeError that name the option, the value and the bound
 */
export function readTestingOptions(options: RedlockTestingOptions): RedlockTestingOptions {
  checkNames(options, NAMES, WHERE);
  const { nodes = 3, clock = 'real', pools = [], isGlobal = false } = options;
  if (!(Number.isInteger(nodes) && nodes >= 1 && nodes <= MOST_NODES))
    throw invalidValue(`${WHERE}: nodes`, nodes, `a whole number from 1 to ${MOST_NODES}`);
  if (!['real', 'manual'].includes(clock)) throw invalidValue(`${WHERE}: clock`, clock, "'real' or 'manual'");
  const areNames = Array.isArray(pools) && pools.every((name) => typeof name === 'string' && name !== '');
  if (!areNames || new Set(pools).size < pools.length)
    throw invalidValue(`${WHERE}: pools`, pools, 'different names of pools');
  if (typeof isGlobal !== 'boolean') throw invalidValue(`${WHERE}: isGlobal`, isGlobal, 'true or false');
  const read = readModuleOptions({ ...poolOptionsOf(options), nodes: [] });
  const { waitForQuorum = false } = read;
  if (clock === 'manual' && waitForQuorum !== false)
    throw invalidValue(
      `${WHERE}: waitForQuorum`,
      waitForQuorum,
      "false with the clock 'manual', which ends no wait by itself",
    );
  return { ...read, nodes, clock, pools, isGlobal };
}

/** Returns those testing options that a service of the application can have as well. */
export function poolOptionsOf(options: RedlockTestingOptions): PoolOptions {
  const { nodes: _nodes, clock: _clock, pools: _pools, isGlobal: _isGlobal, ...others } = options;
  return { ...others, shutdownTimeout: others.shutdownTimeout ?? SHUTDOWN_TIMEOUT };
}
