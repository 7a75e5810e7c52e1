import type { LockNode } from './lock-node.js';
import { quorumOf } from './pool.js';
import { mistake } from './codes.js';

/**
 * Throws if addresses lead to one server, which must not vote twice, and the servers that are left are no quorum.
 * @throws TypeError that names both addresses
 */
export function refuseDuplicateServers(nodes: readonly LockNode[]): void {
  const known = new Map<string, LockNode>();
  const same: string[] = [];
  let canBeExcluded = true;
  for (const node of nodes) {
    if (node.runId === undefined) continue;
    const first = known.get(node.runId);
    if (first === undefined) {
      known.set(node.runId, node);
      continue;
    }
    same.push(`${first.name} and ${node.name}`);
    canBeExcluded &&= node.exclude !== undefined;
  }
  if (same.length === 0 || (canBeExcluded && nodes.length - same.length >= quorumOf(nodes.length))) return;
  throw mistake(
    'REDLOCK_E02',
    `nodes holds ${same.join(', ')}, which are one server: it must not vote twice, name each node once`,
  );
}

/** Called with the reason when a node is excluded from voting. */
export type BarListener = (node: LockNode, reason: string) => void;

/**
 * Keeps a server from voting twice when two addresses come to lead to it later, by a failover, a host name that changed or a proxy. The node
 * that came to the server first goes on voting; the other nodes are excluded for as long as they lead to the same server.
 */
export class DuplicateServers {
  /** The run id of each node, in the order in which the nodes came to their present servers. */
  readonly #runs = new Map<LockNode, string>();
  readonly #excluded = new Map<LockNode, string>();

  constructor(private readonly warn: BarListener) {}

  /** Records which server a node leads to, if that is known, and excludes or admits nodes accordingly. */
  note(node: LockNode): void {
    const { runId } = node;
    if (runId === this.#runs.get(node)) return;
    this.#runs.delete(node);
    if (runId === undefined) this.#exclude(node, undefined);
    else this.#runs.set(node, runId);
    const first = new Map<string, LockNode>();
    for (const [one, run] of this.#runs) {
      const voter = first.get(run);
      if (voter === undefined) first.set(run, one);
      this.#exclude(one, voter && `it leads to the same server as ${voter.name}, which must not vote twice`);
    }
  }

  #exclude(node: LockNode, reason: string | undefined): void {
    if (reason === this.#excluded.get(node)) return;
    if (reason === undefined) this.#excluded.delete(node);
    else this.#excluded.set(node, reason);
    node.exclude?.(reason);
    if (reason !== undefined) this.warn(node, reason);
  }
}
