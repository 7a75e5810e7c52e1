import type { QuorumNotReachedError } from '../../lib/engine/errors.js';
import type { LockEvent } from '../../lib/engine/events.js';
import type { Redlock } from '../../lib/engine/redlock.js';
import type { RedisNode } from '../../lib/redis/redis-node.js';
import { eventually } from './eventually.js';

/** Ms by which two clocks of one machine may read time differently. */
const READING = 5;

export const ONCE = { waitTimeout: 0 };
export const PATIENT = { waitTimeout: 20_000, retryDelay: 20, retryJitter: 0 };

/** A client of real nodes, and the events that it has had from them. */
export class RedisPoolClient {
  constructor(
    readonly redlock: Redlock,
    readonly nodes: readonly RedisNode[],
    readonly events: LockEvent[],
  ) {}

  /** The error of a caller that does not wait. */
  refusal(resource = 'refused'): Promise<QuorumNotReachedError> {
    return this.redlock.acquire(resource, ONCE).then(
      () => Promise.reject(new Error('it was given the lock')),
      (error: unknown) => error as QuorumNotReachedError,
    );
  }

  /** Ms since then until it gets a lock. */
  async votesAfter(since: number): Promise<number> {
    await this.redlock.acquire(`voted-${since}`, PATIENT);
    return msSince(since);
  }

  count(type: LockEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }

  untilTold(type: LockEvent['type'], times = 1): Promise<void> {
    return eventually(() => {
      if (this.count(type) < times) throw new Error(`told of ${type} ${this.count(type)} times, not ${times}`);
    }, 20_000);
  }
}

export function msSince(since: number): number {
  return performance.now() - since + READING;
}
