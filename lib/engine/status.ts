import { invalidValue } from './options.js';
import { type Clock, elapsed, LONGEST_TIMER } from './clock.js';
import type { LockNode, ProbeAnswer, Unknown } from './lock-node.js';
import type { Pool } from './pool.js';

/** Why a node is in quarantine, as the node itself shows. */
export const MAY_HAVE_FORGOTTEN = 'it is new, or was restarted, emptied or restored, and may have forgotten locks';

/** The same for a reader who is not told of a changed clock by another text. */
export const MAY_HAVE_FORGOTTEN_OR_SET =
  'it is new, or was restarted, emptied or restored, or its clock was changed, and may have forgotten locks';

/** The same of several nodes, to be read behind "are". */
export const MANY_MAY_HAVE_FORGOTTEN =
  'in quarantine (new, restarted, emptied or restored, or their clocks were changed), since they may have forgotten locks';

/** The state of one node. */
export interface NodeStatus {
  /** The name of the node. */
  readonly node: string;
  /** True if the node answers. */
  readonly up: boolean;
  /** True if the node votes. False if the node is down, is in quarantine or refuses (READONLY, OOM, NOPERM ...). */
  readonly votes: boolean;
  /** Ms until the node votes again, if the node is in quarantine. */
  readonly votesIn?: number;
  /** Why the node is down or does not vote. */
  readonly reason?: string;
  /** Ms from the question to the answer, rounded to 0.01 ms. Undefined if the node was not asked or did not answer. */
  readonly latency?: number;
  /**
   * Ms by which the clock of the node is ahead of the wall clock of this process; negative if the clock of the node is behind. Undefined until
   * the node has answered.
   */
  readonly clockOffset?: number;
}

/** The state of a pool. */
export interface RedlockStatus {
  /** The state of each node. */
  readonly nodes: readonly NodeStatus[];
  /** How many votes decide. */
  readonly quorum: number;
  /** True if enough nodes vote, so that locks can be taken. */
  readonly quorumReachable: boolean;
  /** True with `enabled: false`: locks hold within this process only. */
  readonly disabled?: boolean;
}

/** The options of `status()`. */
export interface StatusOptions {
  /** Ms that a node may take to answer. @default the `nodeTimeout` of the pool */
  readonly timeout?: number | undefined;
}

/** What came of asking a node whether it would vote. */
interface Probed {
  /** `unknown` if the node did not answer in time. */
  readonly answer: ProbeAnswer;
  /** Ms from the question to the answer. */
  readonly latency: number;
}

/** @throws TypeError, RangeError for a timeout that no timer can keep */
export function checkStatusTimeout(timeout: number): void {
  if (typeof timeout !== 'number' || !(timeout >= 1 && timeout <= LONGEST_TIMER))
    throw invalidValue('status: timeout', timeout, `a number of ms from 1 to ${LONGEST_TIMER}`);
}

/**
 * Asks every node whether it would vote for a token of `date`, microseconds; a node has `timeout` ms to answer.
 * @throws TypeError, RangeError for a timeout that no timer can keep
 */
export async function statusOf(pool: Pool, timeout: number, date = pool.date()): Promise<RedlockStatus> {
  checkStatusTimeout(timeout);
  const probes = await Promise.all(pool.nodes.map((node) => probed(node, { timeout, date }, pool.clock)));
  const nodes = probes.map((probe, index) => nodeStatus(pool.names[index]!, probe, pool.clockOffset(index)));
  const { quorum } = pool;
  return { nodes, quorum, quorumReachable: nodes.filter(({ votes }) => votes).length >= quorum };
}

/** Asks a node whether it would vote; the node has `timeout` ms to answer. */
function probed(
  node: LockNode,
  { timeout, date }: { readonly timeout: number; readonly date: number },
  clock: Clock,
): Promise<Probed> {
  const asked = clock.now();
  return new Promise((resolve) => {
    const answered = (answer: ProbeAnswer): void => resolve({ answer, latency: elapsed(asked, clock.now()) });
    const silence: ProbeAnswer = { kind: 'unknown', reason: `no answer within ${timeout} ms`, sent: true };
    const stopTimer = clock.schedule(timeout, () => clock.afterInput(() => answered(silence)));
    const heard = (answer: ProbeAnswer): void => {
      stopTimer();
      answered(answer);
    };
    node.probe(heard, date);
  });
}

function nodeStatus(node: string, { answer, latency }: Probed, offset: number | undefined): NodeStatus {
  if (answer.kind === 'unknown') return { node, up: false, votes: false, reason: answer.reason };
  return {
    node,
    up: true,
    ...voteOf(answer),
    // An excluded node is not asked, so that nothing is known of its latency.
    ...(answer.kind !== 'excluded' && { latency: Math.round(latency * 100) / 100 }),
    ...(offset !== undefined && { clockOffset: offset }),
  };
}

function voteOf(answer: Exclude<ProbeAnswer, Unknown>): Pick<NodeStatus, 'votes' | 'votesIn' | 'reason'> {
  if (answer.kind === 'up') return { votes: true };
  if (answer.kind !== 'quarantined') return { votes: false, reason: answer.reason };
  return { votes: false, votesIn: answer.remaining, reason: MAY_HAVE_FORGOTTEN_OR_SET };
}

/** Returns how many nodes vote, how many are needed, and why the others do not. */
export function votesText({ nodes, quorum }: RedlockStatus): string {
  const silent = nodes.filter(({ votes }) => !votes);
  const reasons = silent.map(({ node, reason = 'unknown', votesIn }) => {
    const end = votesIn === undefined ? '' : `, votes in ${votesIn} ms`;
    return `${node}: ${reason}${end}`;
  });
  return `${nodes.length - silent.length} of ${nodes.length} nodes vote, ${quorum} needed; ${reasons.join('; ')}`;
}
