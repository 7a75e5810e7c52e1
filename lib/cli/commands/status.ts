import { exitCodeOf, type Outcome } from '../io.js';
import type { NodeSession } from '../nodes/node-session.js';
import { type NodeReport, type Overview, overviewOf } from '../nodes/overview.js';
import { duration, paragraph, plain, solid, table } from '../output/layout.js';

const HEAD = ['NODE', 'VOTES', 'LATENCY', 'CLOCK', 'VOTES IN'];

/** Tells which nodes vote, and whether there are enough votes for locks. */
export async function status(sessions: readonly NodeSession[]): Promise<Outcome> {
  const overview = await overviewOf(sessions);
  const { votes, quorum, margin, nodes } = overview;
  const listed = nodes.map(({ runId: _runId, ...node }) => node);
  return {
    code: exitCodeOf(votes, nodes.length, quorum),
    json: { nodes: listed, quorum, votes, margin, quorumReachable: margin >= 0 },
    text: (columns) => statusText(overview, columns),
  };
}

export function statusText({ nodes, quorum, votes, margin }: Overview, columns: number): string {
  const summary = `${votes} of ${nodes.length} nodes vote, the quorum is ${quorum}: ${meaning(margin)}`;
  const reasons = nodes.flatMap(({ node, reason }) => (reason ? [`${plain(node)}: ${plain(reason)}`] : []));
  const lines = [paragraph(summary, columns), ...reasons.map((text) => paragraph(text, columns, '! '))];
  return `${table(HEAD, nodes.map(rowOf), columns)}\n\n${lines.join('\n')}`;
}

function rowOf({ node, votes, latency, clockOffset, votesIn }: NodeReport): string[] {
  return [
    plain(node),
    votes ? 'yes' : 'no',
    latency === undefined ? '-' : solid(duration(latency)),
    clockOffset === undefined ? '-' : solid(`${clockOffset > 0 ? '+' : ''}${clockOffset} ms`),
    votesIn === undefined ? '-' : solid(duration(votesIn)),
  ];
}

/** Returns in words how many more nodes may fail. */
function meaning(margin: number): string {
  if (margin < 0) return `there are no locks until ${-margin === 1 ? 'one more does' : `${-margin} more do`}`;
  if (margin === 0) return 'the next node that fails stops all locks';
  return `${margin} more may fail`;
}
