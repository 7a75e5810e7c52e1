import type { Clock, Moment } from '../../time/clock.js';
import { requestError, type AcquireRequest, type Acquired, type Denial } from '../request.js';
import { timeForRound } from '../../quorum/outcome/wait-budget.js';
import type { HeldLease, Successor } from '../../lease/lease-context.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { SlotTable, Named } from '../../collections/slot-table.js';
import type { Denied, Won } from '../../quorum/outcome/outcome.js';
import { LinkedList } from '../../collections/linked-list.js';
import { processMarkOf } from '../../collections/random.js';
import type { CallersBehind } from '../line/in-line-acquisition.js';
import { Cohort, mayPass } from './cohort.js';

const HELD = { kind: 'contended' } as const;
/** The outcome for a caller whose time is up before the nodes have answered the first caller of its process. */
const UNHEARD: Denied = { kind: 'unavailable', nodes: [] };

/** A caller that waits behind other callers of this process. */
interface QueuedCaller {
  readonly request: AcquireRequest;
  /** Starts the turn of this caller: with the lock in `won` or, without one, by asking the nodes. */
  begin(won?: Acquired): void;
  /** Rejects this caller because of `obstacle`. */
  refuse(obstacle: Denied): void;
}

/**
 * The callers of this process for one resource, first come, first served. Only the first caller asks the nodes, and stands in their lines. The
 * others wait behind it, and then for the release of its lock. So a thousand equal requests on one replica are a single waiter on the nodes.
 */
export class CallerQueue implements CallersBehind, Named {
  /** The lock that a caller of this queue has got. */
  lease: HeldLease | undefined;
  /** Whether a lock is on its way from one caller of this process to the next. */
  #isPassing = false;
  /** Why the first caller was denied last. It is out of date while a caller of this process has the lock. */
  #latest: Denied | undefined;
  /** Created when the first caller joins it, because most locks are wanted by one caller only. */
  #cohort: Cohort | undefined;
  /** The cohort before `#cohort`. A caller that comes a moment after the end of this cohort still belongs to it. */
  #former: Cohort | undefined;
  #queued: LinkedList<QueuedCaller> | undefined;

  constructor(
    readonly name: string,
    private readonly queues: SlotTable<CallerQueue>,
  ) {
    queues.add(this);
  }

  get length(): number {
    return this.#queued?.length ?? 0;
  }

  /** If nobody has ever waited here, the claim comes with a single fencing token, and the lock does not pass on. */
  get hasEverQueued(): boolean {
    return this.#queued !== undefined;
  }

  /** Why the callers that wait do not have the lock, in short, which costs less than the whole `obstacle`. */
  get shortObstacle(): Denial {
    return this.#denial ?? HELD;
  }

  /** Why the callers that wait do not have the lock, with all that an error says about it. */
  get obstacle(): Denied {
    const { validity = 0, value = '' } = this.lease ?? {};
    return this.#denial ?? { ...HELD, nodes: [], retryAfter: validity, rivals: [], holder: processMarkOf(value) };
  }

  get #denial(): Denied | undefined {
    return this.lease === undefined ? this.#latest : undefined;
  }

  /** False until the nodes have answered the first caller: nobody knows then whether the resource is held or no quorum votes. */
  get #isObstacleKnown(): boolean {
    return this.lease !== undefined || this.#latest !== undefined;
  }

  /** Adds the caller to the cohort in whose time it came. @see Cohort */
  dateArrival({ budget }: AcquireRequest): void {
    if (this.#former?.includes(budget.arrived)) budget.cohort = this.#former;
    else if (this.lease || this.#isPassing) budget.cohort = this.#cohort ??= new Cohort();
  }

  /** Takes note why the first caller was denied, and refuses at once the callers whose time for a quorum is up, or ends before one can vote. */
  report(outcome: Denied): void {
    this.#latest = outcome;
    if (outcome.kind !== 'quarantined' && outcome.kind !== 'unavailable') return;
    for (const caller of this.#queued?.all ?? []) if (this.refusalFor(caller.request)) caller.refuse(outcome);
  }

  /** Returns the reason why a caller cannot get the lock before its time is up; undefined if it may still get the lock. */
  refusalFor({ budget }: AcquireRequest): Denied | undefined {
    const denial = this.#denial;
    return denial && budget.remainingAfter(denial, 0) <= 0 ? denial : undefined;
  }

  /**
   * Waits behind all callers that are already here. Resolves with the lock that is passed on or, without one, with the result of `askNodes`.
   */
  join(request: AcquireRequest, now: Moment, askNodes: () => Promise<Acquired>): Promise<Acquired> {
    const { budget } = request;
    const queued = (this.#queued ??= new LinkedList());
    return new Promise((resolve, reject) => {
      // A listener of `contended`, which has just run, may have aborted the call or closed the pool.
      budget.throwIfAborted();
      const abort = (error: Error): void => {
        queued.remove(link);
        reject(error);
      };
      const refuse = (obstacle: Denied): void => {
        stop();
        abort(requestError(obstacle, request));
      };
      const timeout = (): void => {
        if (this.#isObstacleKnown) return refuse(this.obstacle);
        // The nodes are about to answer the first caller. Their answers tell whether the resource is held or unavailable.
        stop = budget.watch(timeForRound(budget), {
          timeout: () => refuse(this.#isObstacleKnown ? this.obstacle : UNHEARD),
          abort,
        });
      };
      let stop = budget.watch(budget.remainingInQueue(now), { timeout, abort }, now);
      const begin = (won?: Acquired): void => {
        stop();
        resolve(won ?? askNodes());
      };
      const link = queued.add({ request, begin, refuse });
    });
  }

  /**
   * Starts the turn of the next caller: with the lock in `won` or, without one, by asking the nodes. It asks before this method returns, so that
   * its question is in the same batch as the release before it.
   */
  next(won?: Acquired): void {
    // The reason dates from before this process had the lock, so it is out of date.
    if (this.lease) this.#latest = undefined;
    // Drop the reference, because the table may keep this queue alive for a while after it was removed.
    this.lease = undefined;
    this.#isPassing = won !== undefined;
    const first = this.#queued?.shift();
    if (first) first.begin(won);
    else this.queues.delete(this);
  }

  /** Ends the cohort and starts the turn of the next caller. Called when the lock is over. */
  lockIsOver(clock: Clock): void {
    if (this.length > 0) {
      this.#former = this.#cohort ?? new Cohort();
      this.#former.end(clock.now().monotonic);
      this.#cohort = undefined;
    }
    this.next();
  }

  /** Returns whether a caller waits for the lock of this queue, and whether the lock may pass to it. */
  successor(won: Required<Won>, now: Moment, pool: NodePool): Successor {
    const next = this.#queued?.first?.request;
    if (next === undefined) return 'nobody';
    return mayPass(won, next, { now, pool }) ? 'may have it' : 'waits';
  }
}
