import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { asOptions, type CallOptions } from './core/call-options.js';
import type { LockEvent } from './core/events.js';
import type { Lock } from './core/lock.js';
import type { LockOptions } from './core/options.js';
import type { LockNode } from './core/lock-node.js';
import { HeldLocks } from './core/reentry.js';
import { Redlock, type RedlockSettings } from './core/redlock.js';
import { Specimens } from './core/specimens.js';
import type { RedlockStatus } from './core/status.js';
import type { RedlockModuleOptions } from './redlock.options.js';
import { HOLDS, LOCK_FOR, TELL } from './redlock.tokens.js';
import type { ExceptionFactory } from './with-lock/exception-factory.js';

/** Takes locks on one pool of nodes, for code where a decorator does not fit. */
@Injectable()
export class RedlockService implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #logger = new Logger(RedlockService.name);
  readonly #events = new Subject<LockEvent>();
  readonly #held = new HeldLocks();
  readonly #redlock: Redlock;
  readonly #specimens = new Specimens();
  readonly #shutdownTimeout: number;
  readonly #nodeCount: number;
  readonly #isEnabled: boolean;

  /** What happens to the locks and nodes of this pool. */
  readonly events$: Observable<LockEvent> = this.#events.asObservable();
  /** What the module was told to make of the errors of locks that handlers wait for. */
  readonly exceptionFactory: ExceptionFactory | undefined;

  constructor(
    nodes: readonly LockNode[],
    options: Omit<RedlockModuleOptions, 'nodes' | 'keyPrefix'> = {},
    { clock }: Pick<RedlockSettings, 'clock'> = {},
  ) {
    const { nodeTimeout, maxTtl, defaults, maxWaiters, shutdownTimeout = 5_000, enabled = true } = options;
    this.exceptionFactory = options.exceptionFactory;
    this.#shutdownTimeout = shutdownTimeout;
    this.#nodeCount = nodes.length;
    this.#isEnabled = enabled;
    this.#redlock = new Redlock({
      nodes,
      nodeTimeout,
      maxTtl,
      defaults,
      maxWaiters,
      clock,
      held: this.#held,
      listener: (event) => this.#tell(event),
    });
  }

  /**
   * Takes a lock that the caller gives back by `release()` or `await using`.
   * @throws ResourceLockedError, QuorumNotReachedError, LockKeyError, RedlockClosedError, the reason of `options.signal`;
   * TypeError, RangeError for wrong options
   * @example
   * ```ts
   * await using lock = await redlock.acquire('report:2026', { ttl: 30_000, autoExtend: true });
   * ```
   */
  acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    return this.#redlock.acquire(resource, options);
  }

  /**
   * Asks once, and again only where rivals split the votes; null where somebody else holds the resource.
   * @throws QuorumNotReachedError, LockKeyError, RedlockClosedError; TypeError, RangeError for wrong options
   */
  tryAcquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock | null> {
    return this.#redlock.tryAcquire(resource, options);
  }

  /**
   * Runs `work` under a lock that is extended as long as it runs, and released whatever comes of it.
   * @throws what `acquire` throws, what `work` throws, and LockLostError where the lock was lost under way;
   * TypeError for a nested lock on only some of what is already held
   * @example
   * ```ts
   * await redlock.withLock(`order:${id}`, async (lock) => pay(id, lock.signal));
   * ```
   */
  withLock<T>(
    resource: string | readonly string[],
    work: (lock: Lock) => T | Promise<T>,
    options?: LockOptions,
  ): Promise<T> {
    return this.#redlock.withLock(resource, work, options);
  }

  /** Asks every node whether it answers, and says whether a quorum does. */
  async status(): Promise<RedlockStatus> {
    const status = await this.#redlock.status();
    return this.#isEnabled ? status : { ...status, disabled: true };
  }

  /** @internal `withLock` for calls of methods with `@WithLock`, which share their options. */
  [LOCK_FOR]<T>(resource: readonly string[], work: (lock: Lock) => Promise<T>, call: CallOptions): Promise<T> {
    // Whoever overrides `withLock`, or spies on it, is asked.
    if (this.withLock === RedlockService.prototype.withLock) return this.#redlock.withLock(resource, work, call);
    return this.withLock(resource, work, asOptions(call));
  }

  /** @internal What happens to calls of methods with `@WithLock`. */
  [TELL](event: LockEvent): void {
    this.#tell(event);
  }

  /** @internal Whether the current async context has a lock on any of these. */
  [HOLDS](resources: readonly string[]): boolean {
    return this.#held.touches(resources);
  }

  async onModuleInit(): Promise<void> {
    if (this.#nodeCount % 2 === 0) {
      this.#logger.warn(
        `${this.#nodeCount} nodes survive the loss of no more than ${this.#nodeCount - 1} would: add or leave out one`,
      );
    }
    await Promise.all([this.#redlock.open(), this.#specimens.collect()]);
  }

  /** Takes no new locks and lets the holders finish while their connections to clients and databases still stand. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#redlock.drain(this.#shutdownTimeout);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#redlock.close();
    this.#events.complete();
  }

  #tell(event: LockEvent): void {
    if (event.type === 'node-down') this.#logger.warn(`${event.node} is down: ${event.reason}`);
    if (event.type === 'node-up') this.#logger.log(`${event.node} is up`);
    if (event.type === 'node-quarantined') {
      this.#logger.warn(`${event.node} does not vote for ${event.remaining} ms: ${event.reason}`);
    }
    if (event.type === 'node-trusted') this.#logger.log(`${event.node} votes again`);
    if (event.type === 'node-warning') this.#logger.warn(`${event.node}: ${event.reason}`);
    if (event.type === 'hand-off-unavailable') {
      this.#logger.warn(`${event.node} cannot tell waiters that it is their turn, so they ask: ${event.reason}`);
    }
    if (event.type === 'lost') this.#logger.error(event.error.message);
    // Nobody listens, usually, and asking that is cheaper than telling nobody.
    if (this.#events.observed) this.#events.next(event);
  }
}
