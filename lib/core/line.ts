import type { Clock, Moment } from './clock.js';
import { contestError, type ContenderListener, type Contest, type Victory } from './contention.js';
import { timeForRound } from './in-time.js';
import type { Lease } from './lease.js';
import type { NameTable, Named } from './name-table.js';
import type { Lost } from './outcome.js';
import { Queue } from './queue.js';
import { Tenure } from './tenure.js';

const HELD = { kind: 'contended' } as const;
/** The nodes take longer to answer the first one than another caller of its process wants to wait. */
const UNHEARD: Lost = { kind: 'unavailable', nodes: [] };

/** A caller who waits behind others of this process. */
interface Waiting {
  readonly contest: Contest;
  /** It is the turn of this caller: with what was won already, or to contend. */
  begin(won?: Victory): void;
  /** There is no turn for this caller. */
  refuse(obstacle: Lost): void;
}

/**
 * The callers of this process for one resource, first come first served. Only the first of them asks the nodes, so that a
 * thousand equal requests on one replica are one contender; the others wait behind it, and then behind the lock it got.
 */
export class Line implements ContenderListener, Named {
  /** The lock that the first one has. */
  lease: Lease | undefined;
  /** Whether it is on its way from a caller of this process to the first one. */
  #isPassing = false;
  /** What the first one was told last. */
  #latest: Lost | undefined;
  /** Made when the first one comes in it: most locks are wanted by nobody else. */
  #tenure: Tenure | undefined;
  /** The one before it, which those who ask a moment later still came in. */
  #former: Tenure | undefined;
  #waiters: Queue<Waiting> | undefined;

  constructor(
    readonly name: string,
    private readonly lines: NameTable<Line>,
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

  /** Why those who wait do not have it: for less than it costs to tell what stands in their way. */
  get why(): Pick<Lost, 'kind'> {
    return this.#told ?? HELD;
  }

  /** What stands in the way of those who wait. */
  get obstacle(): Lost {
    return this.#told ?? { ...HELD, nodes: [], retryAfter: this.lease?.validity ?? 0, rivals: [] };
  }

  /** What the first one was told, where it does not have the lock. */
  get #told(): Lost | undefined {
    return this.lease === undefined ? this.#latest : undefined;
  }

  /** Whether it is known what stands in their way. */
  get #isTold(): boolean {
    return this.lease !== undefined || this.#latest !== undefined;
  }

  /** @see Tenure */
  dateArrival({ patience }: Contest): void {
    if (this.#former?.includes(patience.arrived)) patience.tenure = this.#former;
    else if (this.lease || this.#isPassing) patience.tenure = this.#tenure ??= new Tenure();
  }

  /** Those for whom it is in vain need not wait to the end of their time. */
  lost(outcome: Lost): void {
    this.#latest = outcome;
    if (outcome.kind !== 'quarantined') return;
    this.#waiters?.forEach((waiting) => {
      if (this.refusal(waiting.contest)) waiting.refuse(outcome);
    });
  }

  /** What stands in the way of who comes now, and does so until its time is up. */
  refusal({ patience }: Contest): Lost | undefined {
    const told = this.#told;
    return told && patience.leftAfter(told, 0) <= 0 ? told : undefined;
  }

  gaveUp(): void {
    this.next();
  }

  /** Waits behind all who are there already, and then calls `contend`. */
  join(contest: Contest, now: Moment, contend: () => Promise<Victory>): Promise<Victory> {
    const { patience } = contest;
    const waiters = (this.#waiters ??= new Queue());
    return new Promise((resolve, reject) => {
      const abort = (error: Error): void => {
        leaveQueue();
        reject(error);
      };
      const refuse = (obstacle: Lost): void => {
        stop();
        abort(contestError(obstacle, contest));
      };
      const timeout = (): void => {
        if (this.#isTold) return refuse(this.obstacle);
        // It is about to be known whether somebody has it, or nobody can.
        stop = patience.watch(timeForRound(patience), {
          timeout: () => refuse(this.#isTold ? this.obstacle : UNHEARD),
          abort,
        });
      };
      let stop = patience.watch(patience.leftInLine(now), { timeout, abort }, now);
      const begin = (won?: Victory): void => {
        stop();
        resolve(won ?? contend());
      };
      const leaveQueue = waiters.add({ contest, begin, refuse });
    });
  }

  /**
   * The turn of the next waiter: with what was won already, or else it asks before this returns, in the same batch as the release
   * before it.
   */
  next(won?: Victory): void {
    // What was told before somebody of this process had it is long over.
    if (this.lease) this.#latest = undefined;
    // Nothing stays reachable from here, since V8 may keep what a map has let go of.
    this.lease = undefined;
    this.#isPassing = won !== undefined;
    const first = this.#waiters?.shift();
    if (first) first.begin(won);
    else this.lines.delete(this);
  }

  /** The lock is over: the next one's turn. */
  leave(clock: Clock): void {
    if (this.length > 0) {
      this.#former = this.#tenure ?? new Tenure();
      this.#former.end(clock.now().monotonic);
      this.#tenure = undefined;
    }
    this.next();
  }

  /** Whose turn it is next. */
  get first(): Waiting | undefined {
    return this.#waiters?.first;
  }
}
