import type { Logger } from '@nestjs/common';
import { type LockOptions, MAX_TTL } from '../engine/options.js';
import type { NodeAddress } from '../redis/connection/settings/node-address.js';
import type { RedlockModuleOptions } from '../redlock.options.js';

/** Warns of what the form in which a node was given means for locks. */
export function warnOfNodes(
  logger: Pick<Logger, 'warn'>,
  addresses: readonly NodeAddress[],
  { keyPrefix, maxTtl = MAX_TTL }: RedlockModuleOptions,
): void {
  for (const { name, options, clientPrefix } of addresses) {
    if (options.sentinels)
      logger.warn(
        `${name} is a master of Sentinel: a failover forgets locks, so no lock is granted for ${maxTtl} ms (maxTtl) after one. A master that ` +
          'is cut off from the Sentinels may go on granting locks: docs/operate/redis.md says what to set.',
      );
    if (clientPrefix !== undefined && keyPrefix === undefined)
      logger.warn(
        `The keyPrefix "${clientPrefix}" of the client for ${name} is not used for locks. Set keyPrefix of RedlockModule; without it, all ` +
          'applications on this node share the locks under "lock:".',
      );
  }
}

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
