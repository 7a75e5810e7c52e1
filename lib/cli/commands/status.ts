import { exitCodeOf } from '../exit-code.js';
import type { NodeSession } from '../nodes/node-session.js';
import { overviewOf, type NodeReport, type Overview } from '../nodes/overview.js';
import { duration } from '../output/duration.js';
import { plain } from '../output/plain.js';
import { table } from '../output/table.js';
import type { Outcome } from './outcome.js';

const HEAD = ['NODE', 'VOTES', 'LATENCY', 'CLOCK', 'VOTES IN', 'REASON'];

/** Tells which nodes vote, and whether that is enough for locks. */
export async function status(sessions: readonly NodeSession[]): Promise<Outcome> {
  const overview = await overviewOf(sessions);
  const { votes, quorum, margin, nodes } = overview;
  const listed = nodes.map(({ runId: _runId, ...node }) => node);
  const json = { nodes: listed, quorum, votes, margin, quorumReachable: margin >= 0 };
  return { code: exitCodeOf(votes, nodes.length, quorum), json, text: statusText(overview) };
}

export function statusText({ nodes, quorum, votes, margin }: Overview): string {
  return `${table(HEAD, nodes.map(rowOf))}\n\n${votes} of ${nodes.length} nodes vote, the quorum is ${quorum}: ${meaning(margin)}`;
}

function rowOf({ node, votes, latency, clockOffset, votesIn, reason }: NodeReport): string[] {
  return [
    plain(node),
    votes ? 'yes' : 'no',
    latency === undefined ? '-' : duration(latency),
    clockOffset === undefined ? '-' : `${clockOffset > 0 ? '+' : ''}${clockOffset} ms`,
    votesIn === undefined ? '-' : duration(votesIn),
    plain(reason ?? ''),
  ];
}

/** Returns in words how many more nodes may fail. */
export function meaning(margin: number): string {
  if (margin < 0) return `there are no locks until ${-margin === 1 ? 'one more does' : `${-margin} more do`}`;
  if (margin === 0) return 'the next node that fails stops all locks';
  return `${margin} more may fail`;
}
