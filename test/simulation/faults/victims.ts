import type { Dice } from '../world/dice.js';
import type { Scenario } from '../scenario.js';
import type { SimulatedClient } from '../simulated-client.js';
import type { SimulatedConnection } from '../nodes/simulated-connection.js';
import type { Pool } from '../nodes/pool.js';
import type { SimulatedNode } from '../nodes/simulated-node.js';
import type { World } from '../world/world.js';

/** The parts of the simulation that faults happen to. */
export interface Victims {
  readonly world: World;
  readonly scenario: Scenario;
  /** When all is healed. */
  readonly end: number;
  readonly pool: Pool;
  /** Those to which the addresses lead at first; a spare one stays as it is. */
  readonly nodes: readonly SimulatedNode[];
  /** The living ones. */
  readonly clients: readonly SimulatedClient[];
  /** Ends this client and starts another process in its place. */
  readonly replace: (client: SimulatedClient) => void;
}

export const nodesOf = ({ nodes }: Victims, dice: Dice): readonly SimulatedNode[] =>
  dice.chance(0.3) ? nodes.filter(() => dice.chance(0.7)) : [dice.pick(nodes)];

export const connectionsOf = ({ clients }: Victims, dice: Dice): readonly SimulatedConnection[] => {
  const { connections } = dice.pick(clients);
  return dice.chance(0.4) ? connections.filter(() => dice.chance(0.6)) : [dice.pick(connections)];
};
