import type { Redlock } from '../../../../lib/engine/redlock.js';

/** A pool of the engine before this one, with the key prefix `lock:`. */
export function poolOf(
  urls: readonly string[],
  maxTtl: number,
): Pick<Redlock, 'acquire' | 'close' | 'open' | 'tryAcquire'>;
