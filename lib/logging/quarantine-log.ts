import type { Logger } from '@nestjs/common';
import type { Clock } from '../core/time/clock.js';
import type { LockEvent } from '../core/api/events.js';
import { quorumOf } from '../core/quorum/quorum.js';
import type { RedlockStatus } from '../core/quorum/status.js';

/** Ms for which what happens to several nodes at once is gathered. */
const GATHERED_FOR = 500;
/** Ms by which the end may move before it is told again. */
const NEWS = 1_000;
/** Ms after which nodes that are due to vote are looked at again. */
const LOOK_AGAIN = 1_000;
/** After so many of these something else than the quarantine stands in the way. */
const MOST_VAIN_LOOKS = 3;
const WHY = 'new, or were restarted, emptied or set back, or their clocks were set, and may have forgotten locks';
const HINT = 'This is expected at a first start; in development set restartQuarantine: false.';

type NodeLeft = Extract<LockEvent, { type: 'node-quarantined' }>;

export interface QuarantineLogTerms {
  readonly clock: Clock;
  /** How many nodes the pool has. */
  readonly nodes: number;
  readonly status: () => Promise<RedlockStatus>;
}

/**
 * What the log says of nodes that are out of the vote: one line each while the others are a quorum; one for all of them where they
 * are not, and one when locks are possible again.
 */
export class QuarantineLog {
  /** Until when each of them is out, ms on the monotonic clock. */
  readonly #out = new Map<string, number>();
  /** Those of whom nothing was said yet. */
  #untold: NodeLeft[] = [];
  /** Until when there are no locks, as far as that was told. */
  #closedUntil: number | undefined;
  #isFirst = true;
  #isLooking = false;
  #nextLook = Infinity;
  /** How often nodes were looked at that are due to vote, and were not enough. */
  #vainLooks = 0;
  #isStopped = false;
  #stopGathering: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(
    private readonly logger: Pick<Logger, 'log' | 'warn'>,
    private readonly terms: QuarantineLogTerms,
  ) {}

  /** Whether there are no locks because of this. */
  get isClosed(): boolean {
    return this.#closedUntil !== undefined || this.#noQuorumUntil() !== undefined;
  }

  /** Whether something is to be said in a moment. */
  get isGathering(): boolean {
    return this.#untold.length > 0;
  }

  /** Nothing more is said, and no timer is left. */
  stop(): void {
    this.#isStopped = true;
    this.#stopGathering?.();
    this.#stopWaiting?.();
  }

  /** A node is out of the vote. */
  left(event: NodeLeft): void {
    if (this.#isStopped) return;
    this.#out.set(event.node, this.#now + event.remaining);
    this.#untold.push(event);
    this.#stopGathering ??= this.terms.clock.schedule(GATHERED_FOR, () => this.#sumUp());
  }

  /** A node votes again. */
  back(node: string): void {
    if (this.#isStopped) return;
    if (this.#untold.some((event) => event.node === node)) this.#sumUp();
    // Unless it was counted when locks were possible again.
    if (!this.#out.delete(node)) return;
    if (this.#closedUntil === undefined) this.logger.log(`${node} votes again`);
    else this.#lookAt(this.#now + GATHERED_FOR);
  }

  #sumUp(): void {
    this.#stopGathering?.();
    this.#stopGathering = undefined;
    const untold = this.#untold.splice(0);
    const until = this.#noQuorumUntil();
    if (until !== undefined) return this.#close(until);
    for (const { node, remaining, reason } of untold) {
      if (this.#closedUntil === undefined) this.logger.warn(`${node} does not vote for ${remaining} ms: ${reason}`);
    }
  }

  #close(until: number): void {
    if (this.#closedUntil === undefined || until > this.#closedUntil + NEWS) {
      this.logger.warn(this.#noLocks(until));
      this.#isFirst = false;
      this.#closedUntil = until;
    }
    // Those that were started together vote together, but for some ms.
    this.#lookAt(Math.max(until, ...[...this.#out.values()].filter((end) => end <= until + GATHERED_FOR)));
  }

  #noLocks(until: number): string {
    const { clock, nodes } = this.terms;
    const left = until - this.#now;
    const end = new Date(clock.now().wall + left).toTimeString().slice(0, 8);
    const names = this.#out.size < nodes ? ` (${[...this.#out.keys()].join(', ')})` : '';
    const who = `${this.#out.size} of ${nodes} nodes${names}`;
    const line = `No locks for ${Math.ceil(left / 1_000)} s, until ${end}: ${who} are ${WHY}.`;
    return this.#isFirst ? `${line} ${HINT}` : line;
  }

  /** No later than it is to be done anyway. */
  #lookAt(time: number): void {
    if (this.#isLooking || time >= this.#nextLook) return;
    this.#stopWaiting?.();
    this.#nextLook = time;
    this.#stopWaiting = this.terms.clock.schedule(time - this.#now, () => void this.#look());
  }

  /** Asks the nodes, so that it is told in time also where nobody asks for a lock. */
  async #look(): Promise<void> {
    this.#nextLook = Infinity;
    this.#isLooking = true;
    const status = await this.terms.status().catch(() => undefined);
    this.#isLooking = false;
    if (this.#isStopped || this.#closedUntil === undefined || status === undefined) return;
    if (status.quorumReachable) return this.#open(status);
    const until = this.#noQuorumUntil();
    if (until !== undefined) return this.#close(until);
    this.#vainLooks += 1;
    if (this.#vainLooks === MOST_VAIN_LOOKS) this.logger.warn(stillNone(status));
    this.#lookAt(this.#now + LOOK_AGAIN);
  }

  #open({ nodes }: RedlockStatus): void {
    this.#closedUntil = undefined;
    this.#vainLooks = 0;
    const voters = nodes.filter(({ votes }) => votes);
    for (const { node } of voters) this.#out.delete(node);
    this.logger.log(`Locks are possible: ${voters.length} of ${nodes.length} nodes vote.`);
  }

  /** Before when there can be no quorum because of nodes that are out; undefined where there can. */
  #noQuorumUntil(): number | undefined {
    const now = this.#now;
    const ends = [...this.#out.values()].filter((end) => end > now).sort((a, b) => a - b);
    const { nodes } = this.terms;
    return ends[quorumOf(nodes) - (nodes - ends.length) - 1];
  }

  get #now(): number {
    return this.terms.clock.now().monotonic;
  }
}

function stillNone({ nodes, quorum }: RedlockStatus): string {
  const silent = nodes.filter(({ votes }) => !votes);
  const reasons = silent.map(({ node, reason = 'unknown' }) => `${node}: ${reason}`).join('; ');
  return `Still no locks: ${nodes.length - silent.length} of ${nodes.length} nodes vote, ${quorum} needed; ${reasons}`;
}
