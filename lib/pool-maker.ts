import type { RedlockModuleOptions } from './redlock.options.js';
import type { RedlockService } from './redlock.service.js';

/** Where this is provided for all modules, pools are made by it and not on Redis: by `nestjs-redlock/testing`. */
export const POOL_MAKER = Symbol.for('nestjs-redlock:pool-maker');

export interface PoolMaker {
  make(name: string | undefined, options: RedlockModuleOptions): RedlockService;
}
