import type { Clock } from '../engine/clock.js';
import { coded, type Coded } from '../engine/codes.js';
import type { LockEvent } from '../engine/events.js';
import { MANY_MAY_HAVE_FORGOTTEN, type RedlockStatus, votesText } from '../engine/status.js';
import { quorumOf } from '../engine/pool.js';
import type { Lines } from './safe-logger.js';

/** Ms within which events of several nodes are logged together. */
const GATHERED_FOR = 500;
/** Ms by which the end of the time without locks has to move before it is logged again. */
const NEWS = 1_000;
/** Ms between two checks of nodes whose quarantine is over while there is no quorum yet. */
const CHECK_AGAIN = 1_000;
/** After so many checks without a quorum, the quarantine is not the only cause, and the log names the cause. */
const MOST_CHECKS = 3;
const HINT = 'This is expected at a first start; in development set restartQuarantine: false.';

type NodeLeft = Extract<LockEvent, { type: 'node-quarantined' }>;

/**
 * Logs that nodes are in quarantine. While the other nodes are a quorum, each node in quarantine has a line of its own. If the others are no quorum,
 * there is one line for all nodes in quarantine, and one more as soon as locks are possible again.
 */
export class QuarantineLog {
  /** By node, when its quarantine ends, ms on the monotonic clock. */
  readonly #out = new Map<string, number>();
  /** The events that are not logged yet. */
  #pending: NodeLeft[] = [];
  /** Until when there are no locks, as the log said last, ms on the monotonic clock; undefined while locks are possible. */
  #closedUntil: number | undefined;
  #isFirst = true;
  #isLooking = false;
  #nextLook = Infinity;
  /** How many checks found too few voters although enough nodes were due to vote. */
  #vainLooks = 0;
  #isStopped = false;
  #stopGathering: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(
    private readonly logger: Pick<Lines, 'log' | 'warn'>,
    private readonly clock: Clock,
    /** How many nodes the pool has. */
    private readonly nodes: number,
    private readonly status: () => Promise<RedlockStatus>,
  ) {}

  /** Whether there are no locks because of the quarantine. */
  get isClosed(): boolean {
    return this.#closedUntil !== undefined || this.#noQuorumUntil() !== undefined;
  }

  /** Whether there are events that will be logged in a moment. */
  get isGathering(): boolean {
    return this.#pending.length > 0;
  }

  /** Logs nothing more, and leaves no timer. */
  stop(): void {
    this.#isStopped = true;
    this.#stopGathering?.();
    this.#stopWaiting?.();
  }

  /** Takes note that a node is out of the vote. */
  quarantined(event: NodeLeft): void {
    if (this.#isStopped) return;
    this.#out.set(event.node, this.#now + event.remaining);
    this.#pending.push(event);
    this.#stopGathering ??= this.clock.schedule(GATHERED_FOR, () => this.#sumUp());
  }

  /** Takes note that a node votes again. */
  back(node: string): void {
    if (this.#isStopped) return;
    if (this.#pending.some((event) => event.node === node)) this.#sumUp();
    // The line that locks are possible again has already counted this node.
    if (!this.#out.delete(node)) return;
    if (this.#closedUntil === undefined) this.logger.log(`${node} votes again`);
    else this.#lookAt(this.#now + GATHERED_FOR);
  }

  #sumUp(): void {
    this.#stopGathering?.();
    this.#stopGathering = undefined;
    const untold = this.#pending.splice(0);
    const until = this.#noQuorumUntil();
    if (until !== undefined) return this.#close(until);
    for (const { node, remaining, reason } of untold) {
      if (this.#closedUntil === undefined)
        this.logger.warn(coded('REDLOCK_W05', `${node} does not vote for ${remaining} ms: ${reason}`));
    }
  }

  #close(until: number): void {
    if (this.#closedUntil === undefined || until > this.#closedUntil + NEWS) {
      this.logger.warn(this.#noLocks(until));
      this.#isFirst = false;
      this.#closedUntil = until;
    }
    // Nodes that were started together vote again within a few ms of each other, so one check after the last of them is enough.
    this.#lookAt(Math.max(until, ...[...this.#out.values()].filter((end) => end <= until + GATHERED_FOR)));
  }

  #noLocks(until: number): Coded {
    const { clock, nodes } = this;
    const remaining = until - this.#now;
    const end = new Date(clock.now().wall + remaining).toTimeString().slice(0, 8);
    const names = this.#out.size < nodes ? ` (${[...this.#out.keys()].join(', ')})` : '';
    const who = `${this.#out.size} of ${nodes} nodes${names}`;
    const line = `No locks for ${Math.ceil(remaining / 1_000)} s, until ${end}: ${who} are ${MANY_MAY_HAVE_FORGOTTEN}.`;
    return coded('REDLOCK_W06', this.#isFirst ? `${line} ${HINT}` : line);
  }

  /** Schedules a check of the nodes, unless one is running or is scheduled for an earlier time. */
  #lookAt(time: number): void {
    if (this.#isLooking || time >= this.#nextLook) return;
    this.#stopWaiting?.();
    this.#nextLook = time;
    this.#stopWaiting = this.clock.schedule(time - this.#now, () => void this.#look());
  }

  /** Asks the nodes for their status, so that the log says in time that locks are possible, even if nobody asks for a lock. */
  async #look(): Promise<void> {
    this.#nextLook = Infinity;
    this.#isLooking = true;
    const status = await this.status().catch(() => undefined);
    this.#isLooking = false;
    if (this.#isStopped || this.#closedUntil === undefined || status === undefined) return;
    if (status.quorumReachable) return this.#open(status);
    const until = this.#noQuorumUntil();
    if (until !== undefined) return this.#close(until);
    this.#vainLooks += 1;
    if (this.#vainLooks === MOST_CHECKS) this.logger.warn(coded('REDLOCK_W07', `Still no locks: ${votesText(status)}`));
    this.#lookAt(this.#now + CHECK_AGAIN);
  }

  #open({ nodes }: RedlockStatus): void {
    this.#closedUntil = undefined;
    this.#vainLooks = 0;
    const voters = nodes.filter(({ votes }) => votes);
    for (const { node } of voters) this.#out.delete(node);
    this.logger.log(`Locks are possible: ${voters.length} of ${nodes.length} nodes vote.`);
  }

  /** Returns until when the quarantine rules out a quorum, ms on the monotonic clock; undefined if it does not. */
  #noQuorumUntil(): number | undefined {
    const now = this.#now;
    const ends = [...this.#out.values()].filter((end) => end > now).sort((a, b) => a - b);
    const { nodes } = this;
    return ends[quorumOf(nodes) - (nodes - ends.length) - 1];
  }

  get #now(): number {
    return this.clock.now().monotonic;
  }
}
