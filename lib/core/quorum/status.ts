import type { ProbeAnswer } from '../port/lock-node.js';
import type { NodePool } from './node-pool.js';
import { quorumOf } from './quorum.js';

export interface NodeStatus {
  readonly node: string;
  /** Whether it answers. */
  readonly up: boolean;
  /** Whether it votes; false where it is down, where it refuses to (READONLY, OOM, NOPERM ...), and for a time after it was restarted or emptied. */
  readonly votes: boolean;
  /** Ms until it votes again, where that is only a matter of time. */
  readonly votesIn?: number;
  /** Why it is down or out of the vote. */
  readonly reason?: string;
}

export interface RedlockStatus {
  readonly nodes: readonly NodeStatus[];
  /** Votes that decide. */
  readonly quorum: number;
  /** True where enough nodes vote to take a lock. */
  readonly quorumReachable: boolean;
  /** True where the pool is not enabled: its locks hold within this process only. */
  readonly disabled?: boolean;
}

/** Asks every node for a vote that is given back at once, to be answered within `timeout` ms. */
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
