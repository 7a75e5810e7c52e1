import type { RedlockModuleOptions } from '../redlock.options.js';
import type { RedlockService } from '../redlock.service.js';

/**
 * The injection token of a `PoolMaker`. `nestjs-redlock/testing` provides one for all modules, which makes every pool in
 * memory instead of on Redis.
 */
export const POOL_MAKER = Symbol.for('nestjs-redlock:pool-maker');

export interface PoolMaker {
  make(name: string | undefined, options: RedlockModuleOptions): RedlockService;
}
