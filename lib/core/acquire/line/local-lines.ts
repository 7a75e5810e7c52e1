import { InLineAcquisition } from './in-line.js';
import type { Moment } from '../../time/clock.js';
import { requestError, acquiredOf, type AcquireRequest, type Acquired } from '../polling.js';
import type { Lock } from '../../api/lock.js';
import { Line } from './line.js';
import { SlotTable } from '../../collections/slot-table.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { mayPass } from './cohort.js';
import type { Won } from '../../quorum/outcome.js';

/** The lines of this process, by resource. */
export class WaitingLines {
  readonly #lines = new SlotTable<Line>();

  constructor(
    private readonly pool: NodePool,
    private readonly maxWaiters: number,
  ) {}

  /**
   * Acquires a single resource after all callers of this process that came before. If there are none, the lease counts from `start`, a moment
   * before anything is sent.
   */
  take(request: AcquireRequest, start: Moment): Promise<Acquired> {
    const resource = request.resources[0]!;
    const line = this.#lines.get(resource);
    if (line === undefined) return this.#inLine(request, new Line(resource, this.#lines)).run(start);
    line.dateArrival(request);
    request.onLost(line.why);
    const refusal = line.refusal(request);
    if (refusal) return Promise.reject(requestError(refusal, request));
    if (line.length >= this.maxWaiters) return Promise.reject(requestError(line.obstacle, request));
    return line.join(request, start, () => this.#inLine(request, line).run());
  }

  /** Asks again for the first caller in line, because the lease that it had won was over before it could begin. */
  again(request: AcquireRequest): Promise<Acquired> {
    return this.#inLine(request, this.#lines.get(request.resources[0]!)!).run();
  }

  /** Starts the turn of the next waiter, because the first caller in line gave up. */
  giveUp(request: AcquireRequest): void {
    this.#lines.get(request.resources[0]!)?.next();
  }

  /** Records the lock that the first caller in line got. All other callers wait for this lock from now on. */
  hold(lease: Lock): void {
    for (const resource of lease.resources) {
      const line = this.#lines.get(resource);
      if (line) line.lease = lease;
    }
  }

  /** Records a lock on one resource that was acquired without a place in line: the next caller waits for it. Does nothing if a line exists. */
  adopt(lease: Lock): void {
    const [resource, ...others] = lease.resources;
    if (others.length > 0 || this.#lines.get(resource!)) return;
    new Line(resource!, this.#lines).lease = lease;
  }

  /** Returns whether a caller of this process waits for this lock. */
  follows(lease: Lock): boolean {
    const line = this.#lines.get(lease.resources[0]!);
    return line?.lease === lease && line.length > 0;
  }

  /** Passes the claim of this lock to the next caller of this process without asking the nodes; returns false if it may not pass. */
  passOn(lease: Lock, won: Won, now: Moment): boolean {
    const line = this.#lines.get(lease.resources[0]!);
    const next = line?.lease === lease ? line.first?.request : undefined;
    if (next === undefined || !mayPass(won, next, { now, pool: this.pool })) return false;
    won.claim.passed += 1;
    line!.next(acquiredOf(won, 1));
    return true;
  }

  /** Starts the turn of the next waiter of each resource. Called when the lock is over. */
  leave(lease: Lock): void {
    for (const resource of lease.resources) {
      const line = this.#lines.get(resource);
      if (line?.lease === lease) line.leave(this.pool.clock);
    }
  }

  #inLine(request: AcquireRequest, line: Line): InLineAcquisition {
    return new InLineAcquisition(this.pool, request, line);
  }
}
