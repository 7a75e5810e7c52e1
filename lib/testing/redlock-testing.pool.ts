import { HeldLock } from '../engine/held-lock.js';
import { LONGEST_TIMER } from '../engine/clock.js';
import type { LockEvent } from '../engine/events.js';
import { misfit } from '../engine/options.js';
import { toResources } from '../engine/resources.js';
import type { RecordInfo } from '../idempotency/reply-store.js';
import { REGISTER } from '../redlock.tokens.js';
import type { PoolInMemory } from './pools/pool-in-memory.js';
import type { TestingNode } from './nodes/faulty-node.js';

/** Ms for which the mark of an attempt that has died lasts. */
const MARK_LASTS = 3_600_000;

/** A resource that another holder has. */
export interface HeldElsewhere {
  /** The name of the resource. */
  readonly resource: string;
  /** Releases the resource. The next waiter gets it. */
  release(): void;
  /** Releases the resource, for `using`. */
  [Symbol.dispose](): void;
}

/** The options of `hold()`. */
export interface HoldOptions {
  /** Ms after which the resource is free, as if its holder had crashed. `Retry-After` follows from it. @default until the release */
  ttl?: number;
}

/**
 * One pool of the application under test. A test reads what happened, and causes faults.
 * @hideconstructor
 */
export class RedlockTestingPool {
  #holds = new Set<HeldElsewhere>();
  #strangers = 0;

  constructor(private readonly poolUnderTest: () => PoolInMemory) {}

  /** The nodes in memory, with their faults. */
  get nodes(): readonly TestingNode[] {
    return this.poolUnderTest().nodes;
  }

  /** All events since startup or the latest `reset()`, oldest first. */
  get events(): readonly LockEvent[] {
    return this.poolUnderTest().record.events;
  }

  /** Resolves once an event has happened `times` times since startup or the latest `reset()`. Without a resource, any resource counts. */
  until(type: LockEvent['type'], resource?: string, times = 1): Promise<void> {
    const { changes, record } = this.poolUnderTest();
    return changes.until(() => record.count(type, resource) >= times);
  }

  /** Returns how often an event has happened since startup or the latest `reset()`. Without a resource, any resource counts. */
  count(type: LockEvent['type'], resource?: string): number {
    return this.poolUnderTest().record.count(type, resource);
  }

  /** Returns whether a resource is locked. */
  isLocked(resource: string): boolean {
    return this.poolUnderTest().ownerOf(resource) !== undefined;
  }

  /** Returns all locked resources. */
  locked(): readonly string[] {
    return this.poolUnderTest().locked;
  }

  /** Returns how many callers of the application wait for a resource. */
  waiting(resource: string): number {
    return this.poolUnderTest().waiting(resource);
  }

  /** Resolves once so many callers of the application wait for a resource. */
  untilWaiting(resource: string, callers = 1): Promise<void> {
    const pool = this.poolUnderTest();
    return pool.changes.until(() => pool.waiting(resource) >= callers);
  }

  /** Returns what the nodes keep for calls of `nestjs-redlock/idempotency`, without the replies. */
  replies(): readonly RecordInfo[] {
    return this.poolUnderTest().replies;
  }

  /**
   * Leaves the mark of a crashed attempt, so that the next call for the key finds an interrupted attempt.
   * @throws Error if a call for the key is running or its reply is kept; LockKeyError for a wrong key
   */
  async interrupt(key: string): Promise<void> {
    toResources(key);
    if (this.isLocked(key)) throw new Error(`A call for "${key}" is running, so none has died`);
    if (this.replies().some((reply) => reply.key === key && reply.state === 'kept'))
      throw new Error(`A reply is kept for "${key}", so that nothing is interrupted`);
    const { nodes, services } = this.poolUnderTest();
    // Later attempts have greater tokens: those are never behind the clocks of the nodes.
    const token = Math.floor(Math.min(...nodes.map(({ date }) => date))) - 1;
    const attempt = { token, owner: 'an attempt that has died', fingerprint: null };
    await services[0]![REGISTER].open(key, attempt, MARK_LASTS);
  }

  /**
   * Locks a resource like another replica.
   * @throws Error if the resource is locked already; LockKeyError, TypeError, RangeError for a wrong resource or ttl
   */
  hold(resource: string, { ttl = Infinity }: HoldOptions = {}): HeldElsewhere {
    toResources(resource);
    if (ttl !== Infinity && !(typeof ttl === 'number' && ttl >= 1 && ttl <= LONGEST_TIMER))
      throw misfit('hold: ttl', ttl, `a number of ms from 1 to ${LONGEST_TIMER}`);
    if (this.isLocked(resource)) throw new Error(`"${resource}" is held already, so nobody else can hold it`);
    const value = `somebody else, ${(this.#strangers += 1)}`;
    const { nodes } = this.poolUnderTest();
    for (const node of nodes) node.plant(resource, value, ttl);
    const release = (): void => {
      if (!this.#holds.delete(held)) return;
      for (const node of nodes) node.unplant(resource, value);
    };
    const held = { resource, release, [Symbol.dispose]: release };
    this.#holds.add(held);
    return held;
  }

  /**
   * Takes a lock away from the application. Its `signal` aborts, and `withLock` rejects with a `LockLostError`.
   * @throws Error if the application does not hold the resource
   */
  async loseLock(resource: string): Promise<void> {
    const locks = this.poolUnderTest().services.map((service) => service.lockOn(resource));
    const lock = locks.find(Boolean);
    if (lock === undefined) {
      const held = this.locked().join('", "');
      throw new Error(
        `The application does not hold "${resource}"; ${held ? `locked is "${held}"` : 'nothing is locked'}`,
      );
    }
    await HeldLock.of(lock)!.revoke('nodes', 'the test took it away');
  }

  /** Takes the first `count` nodes down; without `count`, all nodes. Without a majority of nodes no lock can be taken. */
  outage(count = this.nodes.length): void {
    for (const node of this.nodes.slice(0, count)) node.down();
  }

  /** Ends the faults of all nodes. */
  recover(): void {
    for (const node of this.nodes) node.recover();
  }

  /** Ends all faults, releases what `hold` took, and removes the events and all replies. Call it in `afterEach`. */
  reset(): void {
    this.recover();
    for (const held of this.#holds) held.release();
    const { nodes, record } = this.poolUnderTest();
    for (const node of nodes) node.forgetReplies();
    record.clear();
  }
}
