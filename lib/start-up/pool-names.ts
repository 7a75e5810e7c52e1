import type { RedlockModuleOptions } from '../redlock.options.js';
import type { RedlockService } from '../redlock.service.js';
import { hostname } from 'node:os';
import type { ProcessNote } from '../engine/process-mark.js';
import { mistake } from '../engine/codes.js';

/** The part of Nest's module object that is read here. */
interface RegisteredModule {
  readonly name: string;
  readonly isGlobal: boolean;
  readonly providers: ReadonlyMap<unknown, unknown>;
  readonly imports: ReadonlySet<unknown>;
}

/** How a pool is recognised among the modules of an application. */
interface PoolSigns {
  readonly name: string | undefined;
  /** The token under which each module that registers this pool has a provider. */
  readonly token: symbol;
}

/**
 * Refuses two pools of one name. They would lock on different nodes, or each would remember only its own locks, so that two
 * callers could get the same lock.
 * @throws TypeError if two modules of one application register a pool of this name
 */
export function refuseTwoPools(modules: readonly RegisteredModule[], { name, token }: PoolSigns): void {
  const pools = modules.filter(({ providers }) => providers.has(token));
  if (pools.length < 2) return;
  const importers = modules.filter(({ imports }) => pools.some((pool) => !pool.isGlobal && imports.has(pool)));
  const where = importers.length > 0 ? ` (in ${importers.map((module) => module.name).join(', ')})` : '';
  throw mistake(
    'REDLOCK_E05',
    `RedlockModule: ${poolOf(name)} is registered ${pools.length} times${where}: each would be a pool of its own, and two callers ` +
      'could hold one lock. Register it once, in the root module with isGlobal: true, or have the modules import one that ' +
      'registers and exports it. If you want different pools, give each of them a name',
  );
}

export function poolOf(name: string | undefined): string {
  return name === undefined ? 'the pool without a name' : `pool "${name}"`;
}

/**
 * The injection token of a `PoolMaker`. `nestjs-redlock/testing` provides one for all modules, which makes every pool in
 * memory instead of on Redis.
 */
export const POOL_MAKER = Symbol.for('nestjs-redlock:pool-maker');

export interface PoolMaker {
  make(name: string | undefined, options: RedlockModuleOptions): RedlockService;
}

/** Returns what this process tells operators about itself; its name is an option of the module, or that of the package that npm has started. */
export function thisProcess(application: string | undefined): ProcessNote {
  const name = application ?? (process.env['npm_package_name'] || 'node');
  return { application: name, host: hostname(), pid: process.pid };
}
