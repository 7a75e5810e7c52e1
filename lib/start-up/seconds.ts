import type { LockOptions } from '../engine/options.js';

/** Ms: a shorter duration may be meant in seconds. */
const SHORT = 1_000;
const NAMES = ['ttl', 'waitTimeout', 'maxTtl'] as const;

type Durations = Pick<LockOptions, 'ttl' | 'waitTimeout'> & { readonly maxTtl?: number | undefined };

/** Returns a warning for each duration that looks like seconds, such as `ttl: 30`. 0 is no duration. */
export function secondsIn(options: Durations | undefined, where: string): string[] {
  return NAMES.flatMap((name) => {
    const value = options?.[name];
    if (value === undefined || value === 0 || value >= SHORT) return [];
    return [`${where}: ${name} is ${value} ms; seconds? All durations are milliseconds`];
  });
}
