import type { RedlockStatus } from '../engine/status.js';

/** Returns how many nodes vote, how many are needed, and why the others do not. */
export function votesText({ nodes, quorum }: RedlockStatus): string {
  const silent = nodes.filter(({ votes }) => !votes);
  const reasons = silent.map(({ node, reason = 'unknown', votesIn }) => {
    const end = votesIn === undefined ? '' : `, votes in ${votesIn} ms`;
    return `${node}: ${reason}${end}`;
  });
  return `${nodes.length - silent.length} of ${nodes.length} nodes vote, ${quorum} needed; ${reasons.join('; ')}`;
}
