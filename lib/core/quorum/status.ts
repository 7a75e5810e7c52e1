import type { ProbeAnswer } from '../port/lock-node.js';
import type { NodePool } from './node-pool.js';
import { quorumOf } from './quorum.js';

export interface NodeStatus {
  readonly node: string;
  /** True if the node answers. */
  readonly up: boolean;
  /** True if the node votes; false if it is down or refuses to (READONLY, OOM, NOPERM ...), and for a time after it was restarted or emptied. */
  readonly votes: boolean;
  /** Ms until the node votes again, if that is only a matter of time. */
  readonly votesIn?: number;
  /** Why the node is down or does not vote. */
  readonly reason?: string;
}

export interface RedlockStatus {
  readonly nodes: readonly NodeStatus[];
  /** How many votes decide. */
  readonly quorum: number;
  /** True if enough nodes vote to take a lock. */
  readonly quorumReachable: boolean;
  /** True if the pool is not enabled: its locks hold within this process only. */
  readonly disabled?: boolean;
}

/** Asks every node for a vote, which is given back at once; a node has `timeout` ms to answer. */
export async function statusOf(pool: NodePool, timeout: number): Promise<RedlockStatus> {
  const answers = await pool.probe(timeout);
  const nodes = answers.map((answer, index) => nodeStatus(pool.nodes[index]!.name, answer));
  const quorum = quorumOf(nodes.length);
  return { nodes, quorum, quorumReachable: nodes.filter(({ votes }) => votes).length >= quorum };
}

function nodeStatus(node: string, answer: ProbeAnswer): NodeStatus {
  if (answer.kind === 'unknown') return { node, up: false, votes: false, reason: answer.reason };
  if (answer.kind === 'up') return { node, up: true, votes: true };
  if (answer.kind !== 'quarantined') return { node, up: true, votes: false, reason: answer.reason };
  const reason = 'it is new, or was restarted, emptied or set back, or its clock was set, and may have forgotten locks';
  return { node, up: true, votes: false, votesIn: answer.remaining, reason };
}
