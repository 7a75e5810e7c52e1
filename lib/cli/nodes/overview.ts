import { ignore } from '../../engine/native-timers.js';
import { systemRandom } from '../../engine/random.js';
import { RESERVED } from '../../engine/resources.js';
import { Pool, quorumOf } from '../../engine/pool.js';
import { type NodeStatus, statusOf } from '../../engine/status.js';
import { fieldsOf } from '../../redis/server-info.js';
import { maxTtlOf } from '../settings.js';
import { type NodeSession, type Quarantine, quarantineOf, type Server, withLockNode } from './node-session.js';

/** What a node is good for at this moment. */
export interface NodeReport extends NodeStatus {
  /** Identifies the server, if it says so. */
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

/** Asks each node whether it would vote, without quarantine, so that the nodes note nothing; whether they are in quarantine is read instead. */
export async function overviewOf(sessions: readonly NodeSession[]): Promise<Overview> {
  const servers = await Promise.all(sessions.map((session) => session.attempt(() => serverOf(session))));
  const known = servers.filter((server) => server !== undefined);
  const reports = await Promise.all(sessions.map((session, index) => reportOf(session, servers[index], known)));
  const nodes = reports.map((report, index) => withoutSameServer(report, reports.slice(0, index)));
  const [votes, quorum] = [nodes.filter((node) => node.votes).length, quorumOf(nodes.length)];
  return { nodes, quorum, votes, margin: votes - quorum };
}

async function serverOf(session: NodeSession): Promise<Server> {
  const [info, fences, time] = await session.askAll((pipeline) =>
    pipeline.info('server').exists(`${session.settings.prefix}${RESERVED.fences}`).time(),
  );
  const [seconds, microseconds] = (time?.[1] as unknown[] | null) ?? [Date.now() / 1_000, 0];
  return {
    marker: session.marker,
    isUsed: Number(fences?.[1] ?? 0) > 0,
    run: fieldsOf(typeof info?.[1] === 'string' ? info[1] : '').get('run_id'),
    now: Number(seconds) * 1_000_000 + Number(microseconds),
  };
}

async function reportOf(session: NodeSession, server: Server | undefined, all: readonly Server[]): Promise<NodeReport> {
  const node = session.name;
  if (server === undefined) return { node, up: false, votes: false, reason: session.obstacle ?? '' };
  const quarantine = quarantineOf(server, all, (noted) => maxTtlOf(session.settings, noted));
  const report = await probe(session).catch((error: Error) => ({
    node,
    up: false,
    votes: false,
    reason: error.message,
  }));
  return { ...(report.votes ? withQuarantine(report, quarantine) : report), runId: server.run };
}

/** Asks for a vote under a prefix of its own: a vote leaves a fence counter, by which clients tell whether a node is in use. */
async function probe(session: NodeSession): Promise<NodeStatus> {
  const keyPrefix = `${session.settings.prefix}~cli:`;
  const { nodes } = await withLockNode(session, { keyPrefix, restartQuarantine: false }, async (node, clock) => {
    const pool = new Pool([node], clock, systemRandom, { maxTtl: maxTtlOf(session.settings, session.marker?.longest) });
    await pool.open({ event: ignore, identified: ignore, handedOff: ignore });
    // By the clock of this machine: a pool of one node would go by the clock of that node.
    return statusOf(pool, Math.max(1, session.left), clock.now().wall * 1_000);
  });
  await session.ask((redis) => redis.del(`${keyPrefix}${RESERVED.fences}`)).catch(() => 0);
  return nodes[0]!;
}

function withQuarantine(report: NodeStatus, quarantine: Quarantine | undefined): NodeStatus {
  return quarantine ? { ...report, votes: false, ...quarantine } : report;
}

/** Takes the vote of a node that is a server which has voted already, under another address. */
function withoutSameServer(report: NodeReport, earlier: readonly NodeReport[]): NodeReport {
  const sameServer = report.runId === undefined ? undefined : earlier.find(({ runId }) => runId === report.runId);
  return sameServer ? { ...report, votes: false, reason: `it is the same server as ${sameServer.node}` } : report;
}
