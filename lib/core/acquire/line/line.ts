import type { Clock, Moment } from '../../time/clock.js';
import { requestError, type InLineListener, type AcquireRequest, type Acquired } from '../polling.js';
import { timeForRound } from '../../quorum/wait-budget.js';
import type { Held, Successor } from '../../lease/lease-context.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { SlotTable, Named } from '../../collections/slot-table.js';
import type { Denied, Won } from '../../quorum/outcome.js';
import { Queue } from '../../collections/queue.js';
import { Cohort, mayPass } from './cohort.js';

const HELD = { kind: 'contended' } as const;
/** The outcome for a waiter whose time is up before the nodes have answered the first caller of its process. */
const UNHEARD: Denied = { kind: 'unavailable', nodes: [] };

/** A caller that waits behind other callers of this process. */
interface Waiting {
  readonly request: AcquireRequest;
  /** Starts the turn of this caller: with the lock in `won` or, without one, by asking the nodes. */
  begin(won?: Acquired): void;
  /** Rejects this caller because of `obstacle`. */
  refuse(obstacle: Denied): void;
}

/**
 * The callers of this process for one resource, first come, first served. Only the first caller asks the nodes. The others wait behind it, and
 * then for the release of its lock. So a thousand equal requests on one replica are a single waiter on the nodes.
 */
export class Line implements InLineListener, Named {
  /** The lock that a caller of this line has got. */
  lease: Held | undefined;
  /** Whether a lock is on its way from one caller of this process to the next. */
  #isPassing = false;
  /** The reason why the first caller was denied last. */
  #latest: Denied | undefined;
  /** Created when the first caller joins it, because most locks are wanted by one caller only. */
  #cohort: Cohort | undefined;
  /** The cohort before `#cohort`. A caller that comes a moment after the end of this cohort still belongs to it. */
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

  /** Whether any caller has waited here so far. If nobody has, the claim comes with a single fencing token, and the lock does not pass on. */
  get isContended(): boolean {
    return this.#waiters !== undefined;
  }

  /** Why the waiters do not have the lock. It is the kind only, which costs less than the whole outcome. */
  get why(): Pick<Denied, 'kind'> {
    return this.#denial ?? HELD;
  }

  /** Why the waiters do not have the lock, with all that an error says about it. */
  get obstacle(): Denied {
    return this.#denial ?? { ...HELD, nodes: [], retryAfter: this.lease?.validity ?? 0, rivals: [] };
  }

  /** The reason why the first caller was denied last; undefined while a caller of this process has the lock. */
  get #denial(): Denied | undefined {
    return this.lease === undefined ? this.#latest : undefined;
  }

  /** Whether the reason why the waiters do not have the lock is known. */
  get #isTold(): boolean {
    return this.lease !== undefined || this.#latest !== undefined;
  }

  /** Adds the caller to the cohort in whose time it came. @see Cohort */
  dateArrival({ budget }: AcquireRequest): void {
    if (this.#former?.includes(budget.arrived)) budget.cohort = this.#former;
    else if (this.lease || this.#isPassing) budget.cohort = this.#cohort ??= new Cohort();
  }

  /** Records why the first caller was denied, and refuses at once the waiters whose time ends before a quorum can vote again. */
  denied(outcome: Denied): void {
    this.#latest = outcome;
    if (outcome.kind !== 'quarantined') return;
    this.#waiters?.forEach((waiting) => {
      if (this.refusal(waiting.request)) waiting.refuse(outcome);
    });
  }

  /** Returns the reason why a caller cannot get the lock before its time is up; undefined if it may still get the lock. */
  refusal({ budget }: AcquireRequest): Denied | undefined {
    const denial = this.#denial;
    return denial && budget.remainingAfter(denial, 0) <= 0 ? denial : undefined;
  }

  gaveUp(): void {
    this.next();
  }

  /** Waits behind all callers that are already here. Resolves with the lock that is passed on or, without one, with the result of `contend`. */
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
        // The nodes are about to answer the first caller. Their answers tell whether the resource is held or unavailable.
        stop = budget.watch(timeForRound(budget), {
          timeout: () => refuse(this.#isTold ? this.obstacle : UNHEARD),
          abort,
        });
      };
      let stop = budget.watch(budget.remainingInLine(now), { timeout, abort }, now);
      const begin = (won?: Acquired): void => {
        stop();
        resolve(won ?? contend());
      };
      const leaveQueue = waiters.add({ request, begin, refuse });
    });
  }

  /**
   * Starts the turn of the next waiter: with the lock in `won` or, without one, by asking the nodes. It asks before this method returns, so that
   * its question is in the same batch as the release before it.
   */
  next(won?: Acquired): void {
    // The reason dates from before this process had the lock, so it is out of date.
    if (this.lease) this.#latest = undefined;
    // Drop the reference, because the table may keep this line alive for a while after it was removed.
    this.lease = undefined;
    this.#isPassing = won !== undefined;
    const first = this.#waiters?.shift();
    if (first) first.begin(won);
    else this.lines.delete(this);
  }

  /** Ends the cohort and starts the turn of the next waiter. Called when the lock is over. */
  leave(clock: Clock): void {
    if (this.length > 0) {
      this.#former = this.#cohort ?? new Cohort();
      this.#former.end(clock.now().monotonic);
      this.#cohort = undefined;
    }
    this.next();
  }

  /** Returns whether a caller waits for the lock of this line, and whether the lock may pass to it. */
  successor(won: Won, now: Moment, pool: NodePool): Successor {
    const next = this.#waiters?.first?.request;
    if (next === undefined) return 'nobody';
    return mayPass(won, next, { now, pool }) ? 'may have it' : 'waits';
  }
}
