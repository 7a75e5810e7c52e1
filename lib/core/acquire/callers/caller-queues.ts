import type { Moment } from '../../time/clock.js';
import { acquiredOf, requestError, type AcquireRequest, type Acquired } from '../request.js';
import { InLineAcquisition } from '../line/in-line-acquisition.js';
import { SlotTable } from '../../collections/slot-table.js';
import type { NodePool } from '../../quorum/node-pool.js';
import type { HeldLease, Successor, WaitingCallers } from '../../lease/lease-context.js';
import type { Won } from '../../quorum/outcome/outcome.js';
import { CallerQueue } from './caller-queue.js';

/** The callers of this process, by the resource that they want. */
export class CallerQueues implements WaitingCallers {
  readonly #queues = new SlotTable<CallerQueue>();

  constructor(
    private readonly pool: NodePool,
    private readonly maxWaiters: number,
  ) {}

  /** Acquires a single resource after all callers of this process that came before; the first of them asks the nodes, in line. */
  take(request: AcquireRequest): Promise<Acquired> {
    const { start } = request;
    const resource = request.resources[0]!;
    const queue = this.#queues.get(resource);
    if (queue === undefined) return this.#inLine(request, new CallerQueue(resource, this.#queues)).run(start);
    queue.dateArrival(request);
    // Emits `contended` if somebody has the resource; it refuses nobody.
    request.report(queue.shortObstacle);
    // A listener of `contended` may have released the lock, so that nobody is left who would start the turn of a caller in this queue.
    if (this.#queues.get(resource) !== queue) return this.take(request);
    const refusal = queue.refusalFor(request);
    if (refusal) return Promise.reject(requestError(refusal, request));
    if (queue.length >= this.maxWaiters) return Promise.reject(requestError(queue.obstacle, request));
    return queue.join(request, start, () => this.#inLine(request, queue).run(this.pool.clock.now()));
  }

  /** Asks again for the first caller of a queue, because the lease that it had won was over before it could begin. */
  again(request: AcquireRequest): Promise<Acquired> {
    return this.#inLine(request, this.#queues.get(request.resources[0]!)!).run(this.pool.clock.now());
  }

  /** Starts the turn of the next caller, because the first one gave up. */
  giveUp(request: AcquireRequest): void {
    this.#queues.get(request.resources[0]!)?.next();
  }

  /** Records the lock that the first caller of each queue got. All other callers wait for this lock from now on. */
  hold(lease: HeldLease): void {
    for (const resource of lease.resources) {
      const queue = this.#queues.get(resource);
      if (queue) queue.lease = lease;
    }
  }

  /**
   * Records the lock that was made of `parts`: the callers that wait for a part wait for this lock from now on. A part that was over before
   * has already started the turn of the next caller, whose queue it is now.
   */
  merge(lease: HeldLease, parts: readonly HeldLease[]): void {
    for (const resource of lease.resources) {
      const queue = this.#queues.get(resource);
      if (queue?.lease && parts.includes(queue.lease)) queue.lease = lease;
    }
  }

  /** Records a lock on one resource that was acquired past the queue: the next caller waits for it. Does nothing if there is a queue. */
  adopt(lease: HeldLease): void {
    const [resource, ...others] = lease.resources;
    if (others.length > 0 || this.#queues.get(resource!)) return;
    new CallerQueue(resource!, this.#queues).lease = lease;
  }

  successorOf(lease: HeldLease, won: Required<Won>, now: Moment): Successor {
    const queue = this.#queues.get(lease.resources[0]!);
    return queue?.lease === lease ? queue.successor(won, now, this.pool) : 'nobody';
  }

  passOn(lease: HeldLease, won: Required<Won>): void {
    this.#queues.get(lease.resources[0]!)!.next(acquiredOf(won, 1, won.passes + 1));
  }

  lockIsOver(lease: HeldLease): void {
    for (const resource of lease.resources) {
      const queue = this.#queues.get(resource);
      if (queue?.lease === lease) queue.lockIsOver(this.pool.clock);
    }
  }

  #inLine(request: AcquireRequest, queue: CallerQueue): InLineAcquisition {
    return new InLineAcquisition(this.pool, request, queue);
  }
}
