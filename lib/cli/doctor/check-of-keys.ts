import { checkOfNode, type Check, type CheckedNode, type NodeFinding } from './finding.js';
import type { KeysOnNode } from './keys-on-node.js';

/** Returns a check that looks at the keys of each node; a node that does not show them is left to the check for that. */
export function checkOfKeys(
  name: string,
  look: (keys: KeysOnNode, node: CheckedNode) => Promise<NodeFinding> | NodeFinding,
): Check {
  return checkOfNode(name, async (node) => {
    const keys = await node.keys().catch(() => undefined);
    return keys && look(keys, node);
  });
}
