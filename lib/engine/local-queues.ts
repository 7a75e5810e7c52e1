import { ChurnMap } from './churn-map.js';
import { LocalQueue } from './local-queue.js';
import type { HandOff } from './lock-node.js';
import type { Pool } from './pool.js';

/** The local queues of all resources that somebody in this process wants. */
export class LocalQueues {
  readonly #queues = new ChurnMap<string, LocalQueue>();
  #serial = 0;

  constructor(
    readonly pool: Pool,
    /** What all values of this process begin with; nobody else's do. */
    private readonly mark: string,
    /** How many callers may wait for one resource. */
    readonly maxWaiters = 10_000,
  ) {}

  /** Returns the queue of a resource. It is forgotten once nobody wants the resource any more. */
  of(resource: string): LocalQueue {
    const known = this.#queues.get(resource);
    if (known !== undefined) return known;
    this.#serial += 1;
    const base = `${this.mark}${this.#serial.toString(36)}`;
    const queue = new LocalQueue(this.pool, resource, base, this.#forget);
    this.#queues.set(resource, queue);
    return queue;
  }

  /** Whether somebody in this process wants the resource, or has it. */
  has(resource: string): boolean {
    return this.#queues.get(resource) !== undefined;
  }

  /** A node has voted for a deposit of this process. If nobody wants the resource any more, the vote goes back, for the next process in the queue. */
  handedOff(node: number, message: HandOff): void {
    const queue = this.#queues.get(message.resource);
    if (queue !== undefined) return queue.handedOff(node, message);
    const { pool } = this;
    pool.ask({
      timeout: pool.timeoutFor(pool.maxTtl),
      operation: () => pool.releaseOf(message.resource, message.value, 'leave'),
      heard: () => undefined,
    });
  }

  readonly #forget = (queue: LocalQueue): void => {
    if (this.#queues.get(queue.resource) === queue) this.#queues.delete(queue.resource);
  };
}
