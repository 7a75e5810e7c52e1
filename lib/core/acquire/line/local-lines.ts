import { InLineAcquisition } from './in-line.js';
import type { Moment } from '../../time/clock.js';
import { requestError, type AcquireRequest, type Acquired } from '../polling.js';
import { Line } from './line.js';
import { SlotTable } from '../../collections/slot-table.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { Held, LinesOfProcess, Successor } from '../../lease/lease-context.js';
import type { Won } from '../../quorum/outcome.js';

/** The lines of this process, by resource. */
export class WaitingLines implements LinesOfProcess {
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
    request.onDenied(line.why);
    const refusal = line.refusal(request);
    if (refusal) return Promise.reject(requestError(refusal, request));
    if (line.length >= this.maxWaiters) return Promise.reject(requestError(line.obstacle, request));
    return line.join(request, start, () => this.#inLine(request, line).run(this.pool.clock.now()));
  }

  /** Asks again for the first caller in line, because the lease that it had won was over before it could begin. */
  again(request: AcquireRequest): Promise<Acquired> {
    return this.#inLine(request, this.#lines.get(request.resources[0]!)!).run(this.pool.clock.now());
  }

  /** Starts the turn of the next waiter, because the first caller in line gave up. */
  giveUp(request: AcquireRequest): void {
    this.#lines.get(request.resources[0]!)?.next();
  }

  /** Records the lock that the first caller in line got. All other callers wait for this lock from now on. */
  hold(lease: Held): void {
    for (const resource of lease.resources) {
      const line = this.#lines.get(resource);
      if (line) line.lease = lease;
    }
  }

  /** Records a lock on one resource that was acquired without a place in line: the next caller waits for it. Does nothing if a line exists. */
  adopt(lease: Held): void {
    const [resource, ...others] = lease.resources;
    if (others.length > 0 || this.#lines.get(resource!)) return;
    new Line(resource!, this.#lines).lease = lease;
  }

  successorOf(lease: Held, won: Won, now: Moment): Successor {
    const line = this.#lines.get(lease.resources[0]!);
    return line?.lease === lease ? line.successor(won, now, this.pool) : 'nobody';
  }

  passOn(lease: Held, won: Won): void {
    this.#lines.get(lease.resources[0]!)!.next({ ...won, turn: (won.turn ?? 0) + 1, attempts: 1 });
  }

  leave(lease: Held): void {
    for (const resource of lease.resources) {
      const line = this.#lines.get(resource);
      if (line?.lease === lease) line.leave(this.pool.clock);
    }
  }

  #inLine(request: AcquireRequest, line: Line): InLineAcquisition {
    return new InLineAcquisition(this.pool, request, line);
  }
}
