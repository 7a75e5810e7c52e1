import { misfit } from '../api/options.js';
import type { LockNode, ProbeAnswer, Unknown } from '../port/lock-node.js';
import { clockOffset } from '../port/node-date.js';
import { MAY_HAVE_FORGOTTEN_OR_SET } from '../port/quarantine-reasons.js';
import { elapsed, LONGEST_TIMER, type Clock, type Moment } from '../time/clock.js';
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
  /** Ms from the question to the answer as this process sees it, rounded to 0.01 ms. Undefined for a node that was not asked or did not answer. */
  readonly latency?: number;
  /**
   * Whole ms by which the clock of the node is ahead of the wall clock of this process; negative if it is behind, and 0 if the quickest answers
   * show no difference. Undefined until the node has answered with its time.
   */
  readonly clockOffset?: number;
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

export interface StatusOptions {
  /** Ms that a node may take to answer. @default as long as it may take for a lock */
  readonly timeout?: number | undefined;
}

/** What came of asking a node for a vote that is given back at once. */
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
 * Asks every node for a vote, which is given back at once; a node has `timeout` ms to answer.
 * @throws TypeError, RangeError for a timeout that no timer can keep
 */
export async function statusOf(pool: NodePool, timeout: number): Promise<RedlockStatus> {
  checkStatusTimeout(timeout);
  const probes = await Promise.all(pool.nodes.map((node) => probed(node, timeout, pool.clock)));
  const now = pool.clock.now();
  const nodes = probes.map((probe, index) => nodeStatus(pool.nodes[index]!, probe, now));
  const quorum = quorumOf(nodes.length);
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

function nodeStatus({ name: node, clockAhead }: LockNode, { answer, latency }: Probed, now: Moment): NodeStatus {
  if (answer.kind === 'unknown') return { node, up: false, votes: false, reason: answer.reason };
  const offset = clockOffset(now, clockAhead);
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
