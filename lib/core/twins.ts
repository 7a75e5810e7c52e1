import type { LockNode } from './lock-node.js';

/**
 * Two addresses may lead to one server, which must not vote twice.
 * @throws TypeError that names both
 */
export function refuseTwins(nodes: readonly LockNode[]): void {
  const known = new Map<string, LockNode>();
  for (const node of nodes) {
    const twin = node.runId === undefined ? undefined : known.get(node.runId);
    if (twin) {
      throw new TypeError(
        `nodes holds ${twin.name} and ${node.name}, which are one server: it must not vote twice, name each node once`,
      );
    }
    if (node.runId !== undefined) known.set(node.runId, node);
  }
}
