import type { Clock } from '../../core/time/clock.js';
import { NodeConnection, type ConnectionListener } from './connection.js';
import type { NodeAddress } from './node-address.js';

/** What a node stands on; a simulation brings its own. */
export interface NodeParts {
  /** That of the pool, with whose moments those of its nodes are compared. */
  readonly clock: Clock;
  readonly connect: (address: NodeAddress, listener: ConnectionListener) => Pick<NodeConnection, keyof NodeConnection>;
}

export function realParts(clock: Clock): NodeParts {
  return { clock, connect: ({ options }, listener) => new NodeConnection(options, listener, clock) };
}
