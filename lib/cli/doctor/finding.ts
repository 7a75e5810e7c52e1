import type { NodeReport, Overview } from '../nodes/overview.js';
import type { NodeSession } from '../nodes/node-session.js';
import type { Settings } from '../settings.js';
import type { KeysOnNode } from './keys-on-node.js';

/**
 * - error: the node gives no votes, or locks are not safe with it.
 * - warning: locks are slower, less fair or less available than they could be.
 * - advice: what is better in another way, or cannot be told from outside.
 */
export type Severity = 'error' | 'warning' | 'advice';

/** What is wrong, why that matters, and what to do. */
export interface Finding {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly remedy: string;
  /** Undefined where it concerns all nodes. */
  readonly node?: string | undefined;
}

/** One node as checks see it. */
export interface CheckedNode {
  readonly session: NodeSession;
  readonly report: NodeReport;
  /** The fields of INFO; empty where the node does not tell. */
  readonly info: ReadonlyMap<string, string>;
  /** Looks through the keys below the prefix, once for all checks. */
  readonly keys: () => Promise<KeysOnNode>;
}

export interface CheckedPool {
  readonly settings: Settings & DoctorOptions;
  readonly overview: Overview;
  /** The nodes that answer. */
  readonly nodes: readonly CheckedNode[];
}

export interface DoctorOptions {
  /** Ms that the application lets a node take to answer. */
  readonly nodeTimeout: number;
  /** Whose rights are looked at; undefined for the user of the address. */
  readonly aclUser?: string | undefined;
}

/** One check, in a file of its own in `checks/`. */
export interface Check {
  readonly name: string;
  find(pool: CheckedPool): Promise<readonly Finding[]> | readonly Finding[];
}

/** Returns a check that looks at each node by itself. */
export function checkOfNode(
  name: string,
  look: (node: CheckedNode, pool: CheckedPool) => Promise<NodeFinding> | NodeFinding,
): Check {
  return {
    name,
    find: async (pool) => {
      const found = await Promise.all(pool.nodes.map(async (node) => named(await look(node, pool), node)));
      return found.flat();
    },
  };
}

/** What is found on one node; undefined for nothing. */
export type NodeFinding = Omit<Finding, 'node'> | undefined;

function named(finding: NodeFinding, { session }: CheckedNode): Finding[] {
  return finding === undefined ? [] : [{ ...finding, node: session.name }];
}
