import type { NodePool } from './node-pool.js';
import { quorumOf } from './quorum.js';

export interface RedlockStatus {
  /** Whether each node answers, and if not, why. */
  readonly nodes: readonly { readonly node: string; readonly up: boolean; readonly reason?: string }[];
  /** Votes that decide. */
  readonly quorum: number;
  /** True where enough nodes answer to take a lock. */
  readonly quorumReachable: boolean;
}

/** Asks every node whether it answers within `timeout` ms. */
export async function statusOf(pool: NodePool, timeout: number): Promise<RedlockStatus> {
  const answers = await pool.probe(timeout);
  const nodes = answers.map((answer, index) => ({
    node: pool.nodes[index]!.name,
    up: answer.kind === 'up',
    ...(answer.kind === 'unknown' && { reason: answer.reason }),
  }));
  const quorum = quorumOf(nodes.length);
  return { nodes, quorum, quorumReachable: nodes.filter(({ up }) => up).length >= quorum };
}
