import { HeldLock } from '../engine/held-lock.js';
import { LONGEST_TIMER } from '../engine/clock.js';
import type { LockEvent } from '../engine/events.js';
import { checkLockOptions, checkNames, invalidValue } from '../engine/options.js';
import { LEADER, slotsOf, toResources } from '../engine/resources.js';
import type { RecordInfo } from '../idempotency/reply-store.js';
import { REGISTER } from '../redlock.tokens.js';
import type { PoolInMemory } from './pools/pool-in-memory.js';
import { type HeldElsewhere, OtherReplicas } from './pools/other-replicas.js';
import type { TestingNode } from './nodes/faulty-node.js';
import { turn } from './manual-clock.js';

/** Ms for which the mark of an attempt that has died lasts. */
const MARK_LASTS = 3_600_000;

/** The options of `hold()`. */
export interface HoldOptions {
  /** Ms after which the resource is free, as if its holder had crashed. `Retry-After` follows from it. @default until the release */
  ttl?: number;
  /** The `limit` of the calls that are under test: the other replica takes slots. @default none: it takes the resource as a whole */
  limit?: number;
  /** With `limit`: how many slots the other replica takes, those with the lowest numbers that are free. @default all slots */
  slots?: number;
}

/**
 * One pool of the application under test. A test reads what happened, and causes faults.
 * @hideconstructor
 */
export class RedlockTestingPool {
  readonly #others: OtherReplicas;

  constructor(private readonly poolUnderTest: () => PoolInMemory) {
    this.#others = new OtherReplicas(poolUnderTest);
  }

  /** The nodes in memory, with their faults. */
  get nodes(): readonly TestingNode[] {
    return this.poolUnderTest().nodes;
  }

  /** All events since startup or the latest `reset()`, oldest first. */
  get events(): readonly LockEvent[] {
    return this.poolUnderTest().record.events;
  }

  /**
   * Resolves once an event has happened `times` times since startup or the latest `reset()`. Without a resource, any resource counts. Events of a
   * call with `limit` name the resource and no slot. Events of leaders belong to the resource `leader:<role>`; the role alone will do.
   */
  until(type: LockEvent['type'], resource?: string, times = 1): Promise<void> {
    const { changes, record } = this.poolUnderTest();
    return changes.until(() => record.count(type, resource) >= times);
  }

  /** Returns how often an event has happened since startup or the latest `reset()`. Without a resource, any resource counts. */
  count(type: LockEvent['type'], resource?: string): number {
    return this.poolUnderTest().record.count(type, resource);
  }

  /** Returns whether a resource, or one of its slots, is locked. `isLocked('export~0')` asks for one slot, `isLocked('leader:bot')` for a role. */
  isLocked(resource: string): boolean {
    return this.poolUnderTest().locked.some((name) => name === resource || isSlotOf(resource, name));
  }

  /**
   * Returns all locked resources. Slots are `export~0`, `export~1`. A call that takes all slots, or waits for all of them, also has `export~all`.
   * The lock of a leader is `leader:<role>`.
   */
  locked(): readonly string[] {
    return this.poolUnderTest().locked;
  }

  /**
   * Returns how many callers of the application wait for a resource. A caller that waits for a slot waits for all slots, and counts once, under the
   * name of the resource. For `leader:<role>`, each candidate that does not lead counts.
   */
  waiting(resource: string): number {
    return this.poolUnderTest().waiting(resource);
  }

  /** Resolves once so many callers of the application wait for a resource. */
  untilWaiting(resource: string, callers = 1): Promise<void> {
    const pool = this.poolUnderTest();
    return pool.changes.until(() => pool.waiting(resource) >= callers);
  }

  /** Returns what the nodes keep for calls of `nestjs-redlock/idempotency`, without the replies. What leaders announce there is left out. */
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
   * Locks a resource like another replica. With `limit`, it takes slots. `hold('leader:bot')` makes another replica the leader.
   * @throws Error if the resource is locked already, or if too few slots are free; LockKeyError, TypeError, RangeError for a wrong resource or option
   * @example
   * ```ts
   * testing.hold('export', { limit: 3, slots: 2 }); // one slot is left
   * ```
   */
  hold(resource: string, options: HoldOptions = {}): HeldElsewhere {
    toResources(resource);
    checkNames(options, ['ttl', 'limit', 'slots'], 'hold');
    const { ttl = Infinity, limit } = options;
    if (ttl !== Infinity && !(typeof ttl === 'number' && ttl >= 1 && ttl <= LONGEST_TIMER))
      throw invalidValue('hold: ttl', ttl, `a number of ms from 1 to ${LONGEST_TIMER}`);
    const names = limit === undefined ? [resource] : this.#freeSlots(resource, limit, options.slots);
    if (limit === undefined && options.slots !== undefined)
      throw invalidValue('hold: slots', options.slots, 'given together with limit');
    if (limit === undefined && this.poolUnderTest().ownerOf(resource) !== undefined)
      throw new Error(`"${resource}" is held already, so nobody else can hold it`);
    return this.#others.hold({ resource, names, ttl });
  }

  /** Returns the free slots with the lowest numbers. */
  #freeSlots(resource: string, limit: number, slots = limit): string[] {
    checkLockOptions({ limit }, 'hold');
    if (!(Number.isInteger(slots) && slots >= 1 && slots <= limit))
      throw invalidValue('hold: slots', slots, `a whole number from 1 to limit, ${limit}`);
    const pool = this.poolUnderTest();
    const free = slotsOf(resource, limit).filter((slot) => pool.ownerOf(slot) === undefined);
    if (free.length < slots)
      throw new Error(
        `Only ${free.length} of the ${limit} slots of "${resource}" are free, so nobody else can take ${slots}`,
      );
    return free.slice(0, slots);
  }

  /**
   * Resolves once the application leads the role. If another replica leads, by `depose` or by `hold`, it gives the role up.
   * @throws Error if the application is no candidate for the role
   */
  async elect(role: string): Promise<void> {
    const resource = this.#roleOf(role);
    this.#others.release(resource);
    const pool = this.poolUnderTest();
    await pool.changes.until(() => pool.lockOn(resource) !== undefined);
  }

  /**
   * Takes a role away from the application, once the application leads: `term.signal` aborts, and `term.ended` is 'lost'. Another replica leads until
   * `elect(role)` or `reset()`. `await until('deposed', role)` waits for the clean-up of the work as well.
   * @throws Error if the application is no candidate for the role
   */
  async depose(role: string): Promise<void> {
    const resource = this.#roleOf(role);
    if (this.#others.have(resource)) return;
    const pool = this.poolUnderTest();
    await pool.changes.until(() => pool.lockOn(resource) !== undefined);
    const lock = pool.lockOn(resource);
    // Before the loss: a lock that is released would pass to the next candidate.
    this.#others.hold({ resource, names: [resource], ttl: Infinity });
    if (lock !== undefined) await HeldLock.of(lock)!.revoke('nodes', 'the test made another replica the leader');
    await turn();
  }

  #roleOf(role: string): string {
    const { roles } = this.poolUnderTest();
    if (roles.includes(role)) return LEADER + role;
    const known = roles.length > 0 ? `it is one for "${roles.join('", "')}"` : 'it is one for nothing';
    throw new Error(`The application is no candidate for "${role}"; ${known}. Campaigns begin with app.init()`);
  }

  /**
   * Takes a lock away from the application. Its `signal` aborts, and `withLock` rejects with a `LockLostError`. Of several slots, the latest is lost;
   * `loseLock('export~0')` names one.
   * @throws Error if the application does not hold the resource
   */
  async loseLock(resource: string): Promise<void> {
    const lock = this.poolUnderTest().lockOn(resource);
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

  /** Ends all faults, releases what `hold` and `depose` took, and removes the events and all replies. Call it in `afterEach`. */
  reset(): void {
    this.recover();
    this.#others.release();
    const { nodes, record } = this.poolUnderTest();
    for (const node of nodes) node.forgetReplies();
    record.clear();
  }
}

/** Returns whether a name is that of a slot of the resource. */
function isSlotOf(resource: string, name: string): boolean {
  return name.startsWith(`${resource}~`) && /^\d{1,2}$/.test(name.slice(resource.length + 1));
}
