import { SystemRandom } from '../../core/collections/random.js';
import { NodePool } from '../../core/quorum/node-pool.js';
import { quorumOf } from '../../core/quorum/quorum.js';
import { statusOf, type NodeStatus } from '../../core/quorum/status.js';
import { withLockNodes } from './lock-nodes.js';
import { quarantineOf } from './marker.js';
import type { NodeSession } from './node-session.js';

/** What a node is good for at this moment. */
export interface NodeReport extends NodeStatus {
  /** Identifies the server, where it says so. */
  readonly runId?: string | undefined;
}

/** What all nodes together are good for. */
export interface Overview {
  readonly nodes: readonly NodeReport[];
  readonly quorum: number;
  readonly votes: number;
  /** How many more nodes may fail; below 0 there are no locks. */
  readonly margin: number;
}

/** Asks each node whether it would vote. Nothing is noted on the nodes, since the vote is asked for without quarantine, which is read instead. */
export async function overviewOf(sessions: readonly NodeSession[]): Promise<Overview> {
  const [first] = sessions;
  const reports = await withLockNodes(sessions, { quarantine: () => false }, async (nodes, clock) => {
    const pool = new NodePool(nodes, { clock, random: new SystemRandom() });
    const status = await statusOf(pool, first?.settings.timeout ?? 1);
    return status.nodes.map((node, index): NodeReport => ({ ...node, runId: nodes[index]!.runId }));
  });
  const trusted = await Promise.all(reports.map((report, index) => withQuarantine(report, sessions[index]!, sessions)));
  const nodes = trusted.map((report, index) => withoutSameServer(report, trusted.slice(0, index)));
  const [votes, quorum] = [nodes.filter((node) => node.votes).length, quorumOf(nodes.length)];
  return { nodes, quorum, votes, margin: votes - quorum };
}

async function withQuarantine(
  report: NodeReport,
  session: NodeSession,
  sessions: readonly NodeSession[],
): Promise<NodeReport> {
  if (!report.up) return withObstacle(report, session);
  if (!report.votes) return report;
  const others = sessions.find(({ marker }) => marker !== undefined)?.marker;
  const now = await nodeTime(session);
  const quarantine = quarantineOf(session.marker, { run: report.runId, now, others });
  return quarantine ? { ...report, votes: false, ...quarantine } : report;
}

/** A node that is frozen still accepts connections, and only the session says that it has not answered. */
function withObstacle(report: NodeReport, { obstacle }: NodeSession): NodeReport {
  return obstacle === undefined ? report : { ...report, reason: obstacle };
}

/** Returns the clock of the node in microseconds; our own where it does not say. */
async function nodeTime(session: NodeSession): Promise<number> {
  const time = await session.ask((redis) => redis.call('TIME')).catch(() => [Date.now() / 1_000, 0]);
  const [seconds, rest] = (time as unknown[]).map(Number);
  return seconds! * 1_000_000 + rest!;
}

/** Takes the vote of a node that is a server which has voted already, under another address. */
function withoutSameServer(report: NodeReport, earlier: readonly NodeReport[]): NodeReport {
  const sameServer = report.runId === undefined ? undefined : earlier.find(({ runId }) => runId === report.runId);
  return sameServer ? { ...report, votes: false, reason: `it is the same server as ${sameServer.node}` } : report;
}
