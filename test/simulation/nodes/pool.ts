import { MAX_TTL, rollClock, type Scenario } from '../scenario.js';
import type { World } from '../world/world.js';
import { SimulatedNode } from './simulated-node.js';

/** An address by which all clients know a node of the pool. */
export class PoolAddress {
  /** The server to which it leads now, for every client. */
  server: SimulatedNode;

  constructor(
    /** The server to which it leads at first, and of which it has the name. */
    readonly first: SimulatedNode,
  ) {
    this.server = first;
  }

  get name(): string {
    return this.first.name;
  }
}

/** The addresses that clients have, and the servers to which these lead. */
export class Pool {
  readonly addresses: readonly PoolAddress[];
  /** All of them, whether an address leads there now or not. */
  readonly servers: readonly SimulatedNode[];

  constructor(
    /** Those to which the addresses lead at first. */
    readonly nodes: readonly SimulatedNode[],
    /** A server to which the first address may lead for a while. */
    readonly spare?: SimulatedNode,
  ) {
    this.addresses = nodes.map((node) => new PoolAddress(node));
    this.servers = spare ? [...nodes, spare] : nodes;
  }
}

/** The servers that a scenario asks for, each with clocks of its own. */
export function rollPool(world: World, scenario: Scenario): Pool {
  const { dice } = world;
  const oldNodes = scenario.exchanging ? 1 : dice.pick([0, 0, 0.5, 1]);
  const roll = (name: string): SimulatedNode => {
    const clock = rollClock(dice, name, scenario);
    const tellsFirst = dice.chance(oldNodes);
    return new SimulatedNode(world, { ...clock, maxTtl: MAX_TTL, weakness: scenario.weakness, tellsFirst });
  };
  const nodes = Array.from({ length: scenario.nodes }, (_, index) => roll(`node-${index + 1}`));
  return new Pool(nodes, scenario.hasSpare ? roll('spare') : undefined);
}
