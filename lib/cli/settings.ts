import { MAX_TTL } from '../core/api/options.js';
import { toAddresses, type NodeAddress } from '../redis/connection/settings/node-address.js';
import { UsageError } from './exit-code.js';

/** The options that all commands have, as they were written. */
export interface GivenOptions {
  readonly nodes?: string | undefined;
  readonly prefix: string;
  readonly timeout: number;
  readonly maxTtl?: number | undefined;
  readonly json?: boolean | undefined;
}

export interface Settings {
  readonly addresses: readonly NodeAddress[];
  readonly keyPrefix: string;
  /** Ms that a node may take to answer. */
  readonly timeout: number;
  /** Ms that a lease may last at most; undefined where the nodes are to tell. */
  readonly maxTtl: number | undefined;
  readonly json: boolean;
}

/** @throws UsageError where no nodes are named, or their addresses are malformed */
export function settingsOf(given: GivenOptions, env: NodeJS.ProcessEnv): Settings {
  const text = given.nodes ?? env['REDLOCK_NODES'] ?? '';
  const nodes = text.split(',').map((node) => node.trim());
  if (text.trim() === '')
    throw new UsageError(
      'no nodes are named: give --nodes redis://10.0.0.1:6379,redis://10.0.0.2:6379,... or set REDLOCK_NODES',
    );
  return {
    addresses: addressesOf(nodes),
    keyPrefix: given.prefix,
    timeout: given.timeout,
    maxTtl: given.maxTtl,
    json: given.json ?? false,
  };
}

function addressesOf(nodes: readonly string[]): NodeAddress[] {
  try {
    return toAddresses(nodes);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Returns the longest lease that counts on a node whose clients have noted `noted`, ms. */
export function maxTtlOf({ maxTtl }: Pick<Settings, 'maxTtl'>, noted: number | undefined): number {
  return maxTtl ?? noted ?? MAX_TTL;
}
