import type { Clock, Moment } from '../../time/clock.js';
import { requestError, type InLineListener, type AcquireRequest, type Acquired } from '../polling.js';
import { timeForRound } from '../../quorum/in-time.js';
import type { Lock } from '../../api/lock.js';
import type { SlotTable, Named } from '../../collections/slot-table.js';
import type { Denied } from '../../quorum/outcome.js';
import { Queue } from '../../collections/queue.js';
import { Cohort } from './cohort.js';

const HELD = { kind: 'contended' } as const;
/** The nodes take longer to answer the first one than another caller of its process wants to wait. */
const UNHEARD: Denied = { kind: 'unavailable', nodes: [] };

/** A caller that waits behind others of this process. */
interface Waiting {
  readonly request: AcquireRequest;
  /** It is the turn of this caller: with what was won already, or to contend. */
  begin(won?: Acquired): void;
  /** There is no turn for this caller. */
  refuse(obstacle: Denied): void;
}

/**
 * The callers of this process for one resource, first come first served. Only the first of them asks the nodes, so that a
 * thousand equal requests on one replica are one caller in line; the others wait behind it, and then behind the lock it got.
 */
export class Line implements InLineListener, Named {
  /** The lock that the first one has. */
  lease: Lock | undefined;
  /** Whether it is on its way from a caller of this process to the first one. */
  #isPassing = false;
  /** What the first one was told last. */
  #latest: Denied | undefined;
  /** Made when the first one comes in it: most locks are wanted by nobody else. */
  #cohort: Cohort | undefined;
  /** The one before it, which those who ask a moment later still came in. */
  #former: Cohort | undefined;
  #waiters: Queue<Waiting> | undefined;

  constructor(
    readonly name: string,
    private readonly lines: SlotTable<Line>,
  ) {
    lines.add(this);
  }

  get length(): number {
    return this.#waiters?.length ?? 0;
  }

  /** Whether anybody has waited here so far: the lock of the first one, whom nobody had to wait behind yet, does not pass on. */
  get isContended(): boolean {
    return this.#waiters !== undefined;
  }

  /** Why the waiters do not have it, as a kind only: that costs less than the whole outcome. */
  get why(): Pick<Denied, 'kind'> {
    return this.#told ?? HELD;
  }

  /** What stands in the way of those who wait. */
  get obstacle(): Denied {
    return this.#told ?? { ...HELD, nodes: [], retryAfter: this.lease?.validity ?? 0, rivals: [] };
  }

  /** What the first one was told, where it does not have the lock. */
  get #told(): Denied | undefined {
    return this.lease === undefined ? this.#latest : undefined;
  }

  /** Whether it is known what stands in their way. */
  get #isTold(): boolean {
    return this.lease !== undefined || this.#latest !== undefined;
  }

  /** @see Cohort */
  dateArrival({ budget }: AcquireRequest): void {
    if (this.#former?.includes(budget.arrived)) budget.cohort = this.#former;
    else if (this.lease || this.#isPassing) budget.cohort = this.#cohort ??= new Cohort();
  }

  /** Those for whom it is in vain need not wait to the end of their time. */
  lost(outcome: Denied): void {
    this.#latest = outcome;
    if (outcome.kind !== 'quarantined') return;
    this.#waiters?.forEach((waiting) => {
      if (this.refusal(waiting.request)) waiting.refuse(outcome);
    });
  }

  /** What stands in the way of who comes now, and does so until its time is up. */
  refusal({ budget }: AcquireRequest): Denied | undefined {
    const told = this.#told;
    return told && budget.leftAfter(told, 0) <= 0 ? told : undefined;
  }

  gaveUp(): void {
    this.next();
  }

  /** Waits behind all who are there already, and then calls `contend`. */
  join(request: AcquireRequest, now: Moment, contend: () => Promise<Acquired>): Promise<Acquired> {
    const { budget } = request;
    const waiters = (this.#waiters ??= new Queue());
    return new Promise((resolve, reject) => {
      const abort = (error: Error): void => {
        leaveQueue();
        reject(error);
      };
      const refuse = (obstacle: Denied): void => {
        stop();
        abort(requestError(obstacle, request));
      };
      const timeout = (): void => {
        if (this.#isTold) return refuse(this.obstacle);
        // It is about to be known whether somebody has it, or nobody can.
        stop = budget.watch(timeForRound(budget), {
          timeout: () => refuse(this.#isTold ? this.obstacle : UNHEARD),
          abort,
        });
      };
      let stop = budget.watch(budget.leftInLine(now), { timeout, abort }, now);
      const begin = (won?: Acquired): void => {
        stop();
        resolve(won ?? contend());
      };
      const leaveQueue = waiters.add({ request, begin, refuse });
    });
  }

  /**
   * The turn of the next waiter: with what was won already, or else it asks before this returns, in the same batch as the release
   * before it.
   */
  next(won?: Acquired): void {
    // What was told before somebody of this process had it is long over.
    if (this.lease) this.#latest = undefined;
    // Drops every reference, since the table may keep this line alive for a while after it was removed.
    this.lease = undefined;
    this.#isPassing = won !== undefined;
    const first = this.#waiters?.shift();
    if (first) first.begin(won);
    else this.lines.delete(this);
  }

  /** The lock is over: the next one's turn. */
  leave(clock: Clock): void {
    if (this.length > 0) {
      this.#former = this.#cohort ?? new Cohort();
      this.#former.end(clock.now().monotonic);
      this.#cohort = undefined;
    }
    this.next();
  }

  /** Whose turn it is next. */
  get first(): Waiting | undefined {
    return this.#waiters?.first;
  }
}
