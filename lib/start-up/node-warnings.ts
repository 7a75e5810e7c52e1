import { coded, type Coded } from '../engine/codes.js';
import { type LockOptions, MAX_TTL } from '../engine/options.js';
import type { NodeAddress } from '../redis/connection/settings/node-address.js';
import type { Lines } from '../logging/safe-logger.js';
import type { RedlockModuleOptions } from '../redlock.options.js';

/** Warns of what the form in which a node was given means for locks. */
export function warnOfNodes(
  logger: Pick<Lines, 'warn'>,
  addresses: readonly NodeAddress[],
  { keyPrefix, maxTtl = MAX_TTL }: RedlockModuleOptions,
): void {
  for (const { name, options, clientPrefix } of addresses) {
    if (options.sentinels) logger.warn(coded('REDLOCK_W16', ofSentinel(name, maxTtl)));
    if (clientPrefix !== undefined && keyPrefix === undefined)
      logger.warn(coded('REDLOCK_W17', ofClientPrefix(name, clientPrefix)));
  }
}

function ofSentinel(name: string, maxTtl: number): string {
  return (
    `${name} is a master of Sentinel. A failover forgets locks, so there are no locks for ${maxTtl} ms (maxTtl) after a failover. A master ` +
    'that loses its Sentinels may go on granting locks: set min-replicas-to-write to 1'
  );
}

function ofClientPrefix(name: string, prefix: string): string {
  return (
    `The keyPrefix "${prefix}" of the client for ${name} is not used for locks. Set keyPrefix of RedlockModule. Otherwise all applications ` +
    'on this node share the locks under "lock:"'
  );
}

/** Ms: a shorter duration may be meant in seconds. */
const SHORT = 1_000;
const NAMES = ['ttl', 'waitTimeout', 'maxTtl'] as const;

type Durations = Pick<LockOptions, 'ttl' | 'waitTimeout'> & { readonly maxTtl?: number | undefined };

/** Returns a warning for each duration that looks like seconds, such as `ttl: 30`. 0 is no duration. */
export function secondsIn(options: Durations | undefined, where: string): Coded[] {
  return NAMES.flatMap((name) => {
    const value = options?.[name];
    if (value === undefined || value === 0 || value >= SHORT) return [];
    return [coded('REDLOCK_W14', `${where}: ${name} is ${value} ms; seconds? All durations are milliseconds`)];
  });
}
