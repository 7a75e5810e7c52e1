import type { Clock } from '../../core/time/clock.js';
import { NodeConnection, type ConnectionListener } from './connection.js';
import type { NodeAddress } from './settings/node-address.js';

/** The clock and the connection of a node; a simulation brings its own. */
export interface NodeParts {
  /** The clock of the pool, because moments of the nodes are compared with those of the pool. */
  readonly clock: Clock;
  readonly connect: (address: NodeAddress, listener: ConnectionListener) => Pick<NodeConnection, keyof NodeConnection>;
}

export function realParts(clock: Clock): NodeParts {
  return { clock, connect: (address, listener) => new NodeConnection(address, listener, clock) };
}
