import { misfit } from '../core/api/options.js';
import { MAY_HAVE_FORGOTTEN_OR_SET } from '../core/port/quarantine-reasons.js';
import type { NodeStatus, RedlockStatus } from '../core/quorum/status.js';
import { elapsed, LONGEST_TIMER, type Clock } from './clock.js';
import type { LockNode, ProbeAnswer, Unknown } from './lock-node.js';
import type { Pool } from './pool.js';

/** What came of asking a node whether it would vote. */
interface Probed {
  /** `unknown` where the node did not answer in time. */
  readonly answer: ProbeAnswer;
  /** Ms from the question to the answer. */
  readonly latency: number;
}

/** @throws TypeError, RangeError for a timeout that no timer can keep */
export function checkStatusTimeout(timeout: number): void {
  if (typeof timeout !== 'number' || !(timeout >= 1 && timeout <= LONGEST_TIMER))
    throw misfit('status: timeout', timeout, `a number of ms from 1 to ${LONGEST_TIMER}`);
}

/**
 * Asks every node whether it would vote; a node has `timeout` ms to answer.
 * @throws TypeError, RangeError for a timeout that no timer can keep
 */
export async function statusOf(pool: Pool, timeout: number): Promise<RedlockStatus> {
  checkStatusTimeout(timeout);
  const probes = await Promise.all(pool.nodes.map((node) => probed(node, timeout, pool.clock)));
  const nodes = probes.map((probe, index) => nodeStatus(pool.names[index]!, probe, pool.clockOffset(index)));
  const { quorum } = pool;
  return { nodes, quorum, quorumReachable: nodes.filter(({ votes }) => votes).length >= quorum };
}

/** Asks a node whether it would vote; the node has `timeout` ms to answer. */
function probed(node: LockNode, timeout: number, clock: Clock): Promise<Probed> {
  const asked = clock.now();
  return new Promise((resolve) => {
    const answered = (answer: ProbeAnswer): void => resolve({ answer, latency: elapsed(asked, clock.now()) });
    const silence: ProbeAnswer = { kind: 'unknown', reason: `no answer within ${timeout} ms`, sent: true };
    const stopTimer = clock.schedule(timeout, () => clock.afterInput(() => answered(silence)));
    node.probe((answer) => {
      stopTimer();
      answered(answer);
    });
  });
}

function nodeStatus(node: string, { answer, latency }: Probed, offset: number | undefined): NodeStatus {
  if (answer.kind === 'unknown') return { node, up: false, votes: false, reason: answer.reason };
  return {
    node,
    up: true,
    ...voteOf(answer),
    // A barred node is not asked, so that nothing is known of its latency.
    ...(answer.kind !== 'barred' && { latency: Math.round(latency * 100) / 100 }),
    ...(offset !== undefined && { clockOffset: offset }),
  };
}

function voteOf(answer: Exclude<ProbeAnswer, Unknown>): Pick<NodeStatus, 'votes' | 'votesIn' | 'reason'> {
  if (answer.kind === 'up') return { votes: true };
  if (answer.kind !== 'quarantined') return { votes: false, reason: answer.reason };
  return { votes: false, votesIn: answer.remaining, reason: MAY_HAVE_FORGOTTEN_OR_SET };
}
