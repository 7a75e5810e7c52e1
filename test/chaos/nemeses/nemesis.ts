import type { Dice } from '../dice.js';
import type { ChaosNode } from '../stage/chaos-node.js';
import type { ClientSeat } from '../stage/client-seat.js';
import type { Stage } from '../stage/stage.js';
import type { Way } from '../stage/way.js';

/** One fault, before it happens. */
export interface Strike {
  /** What it needs for itself: `node 1`, `client 2`, or `way 2-1`, the way from client 2 to node 1. */
  readonly where: readonly string[];
  /** Ms; 0 for what is over as soon as it has happened. */
  readonly lasts: number;
  /** Whether nothing can end it before its time. */
  readonly isUnstoppable?: boolean;
  begin(): Promise<void> | void;
  end?(): Promise<void> | void;
}

export interface Nemesis {
  readonly name: string;
  /** In words, for the page. */
  readonly title: string;
  /** How often it comes, beside the others; 1 where nothing is said. */
  readonly weight?: number;
  /** Whether it breaks what the library assumes of its surroundings: it happens only where it is asked for by name. */
  readonly isBeyond?: boolean;
  /** Whether nodes lose records, which are promised only while a quorum of those that had them remembers. */
  readonly isForgetting?: boolean;
  /** Whether it needs clocks that can be moved. */
  readonly needsClocks?: boolean;
  plan(stage: Stage, dice: Dice): Strike;
}

export interface Path {
  readonly name: string;
  readonly way: Way;
}

/** The ways from these clients to these nodes. */
export function pathsOf(clients: readonly ClientSeat[], nodes: readonly ChaosNode[], stage: Stage): Path[] {
  return clients.flatMap((client) =>
    nodes.map((node) => {
      const [from, to] = [stage.clients.indexOf(client), stage.nodes.indexOf(node)];
      return { name: `way ${from + 1}-${to + 1}`, way: client.ways[to]! };
    }),
  );
}

export function names(items: readonly { readonly name: string }[]): string[] {
  return items.map(({ name }) => name);
}

/** The smallest number of nodes that decides. */
export function majorityOf({ nodes }: Stage): number {
  return Math.floor(nodes.length / 2) + 1;
}
