import { MAX_TTL } from '../engine/options.js';
import { type NodeAddress, toAddresses } from '../redis/connection/settings/node-address.js';
import { UsageError } from './io.js';

/** The options that all commands have, as the operator wrote them. */
export interface GivenOptions {
  readonly nodes?: string | undefined;
  readonly prefix: string;
  /** Ms that the command may take. */
  readonly timeout: number;
  /** Ms that a lease may last; undefined if the nodes have to tell. */
  readonly maxTtl?: number | undefined;
  readonly json?: boolean | undefined;
}

export interface Settings extends GivenOptions {
  readonly addresses: readonly NodeAddress[];
}

/** @throws UsageError if there is no address, or a malformed one */
export function settingsOf(given: GivenOptions, env: NodeJS.ProcessEnv): Settings {
  const text = given.nodes ?? env['REDLOCK_NODES'] ?? '';
  if (text.trim() === '')
    throw new UsageError(
      'no nodes are named: give --nodes redis://10.0.0.1:6379,redis://10.0.0.2:6379,... or set REDLOCK_NODES',
    );
  return { ...given, addresses: addressesOf(text.split(',').map((node) => node.trim())) };
}

function addressesOf(nodes: readonly string[]): NodeAddress[] {
  try {
    return toAddresses(nodes);
  } catch (error) {
    const { message } = error as Error;
    const isSplit = nodes.some((node) => !/^rediss?:\/\//.test(node)) && nodes.length > 1;
    throw new UsageError(
      isSplit ? `${message}. Commas separate addresses: write %2C for a comma in a password` : message,
    );
  }
}

/** Returns the longest lease that counts on a node whose clients have noted `noted`, ms. */
export function maxTtlOf({ maxTtl }: Pick<Settings, 'maxTtl'>, noted: number | undefined): number {
  return maxTtl ?? noted ?? MAX_TTL;
}
