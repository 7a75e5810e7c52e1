import { Acquisition } from './acquisition.js';
import { CallerContest } from './caller-contest.js';
import type { CallOptions } from './call-options.js';
import type { Moment } from './clock.js';
import { ResourceLockedError } from './errors.js';
import type { LockListener } from './events.js';
import type { LeaseSurroundings } from './lease-surroundings.js';
import { Lease } from './lease.js';
import type { Lock } from './lock.js';
import { NodePool } from './node-pool.js';
import {
  MAX_TTL,
  checkLockOptions,
  defaultsWithin,
  resolveLockOptions,
  type LockOptions,
  type ResolvedLockOptions,
} from './options.js';
import { errorOf, notConnected } from './outcome.js';
import { OptionBook } from './option-book.js';
import { Patience } from './patience.js';
import { SystemRandom } from './random.js';
import type { RedlockSettings } from './redlock-settings.js';
import { HeldLocks, refuseReentry, type Use } from './reentry.js';
import { MAX_RESOURCES, toResources } from './resources.js';
import { Shutdown, type Holder } from './shutdown.js';
import { statusOf, type RedlockStatus } from './status.js';
import { ThriftyClock } from './thrifty-clock.js';
import { WaitingLines } from './waiting-line.js';
import { isPatient } from './ways.js';

const MOST_WAITERS = 10_000;

/** Distributed locks over N independent masters, by the algorithm of the Redis distributed-locks page. */
export class Redlock {
  readonly #pool: NodePool;
  readonly #surroundings: LeaseSurroundings;
  readonly #emit: LockListener;
  readonly #defaults: LockOptions;
  readonly #forAcquire: OptionBook;
  readonly #forWork: OptionBook;
  readonly #held: HeldLocks;
  readonly #lines: WaitingLines;
  readonly #acquisition: Acquisition;
  readonly #maxTtl: number;
  readonly #maxResources: number;
  readonly #shutdown: Shutdown;
  #opening: Promise<void> | undefined;
  #isOpen = false;

  constructor(settings: RedlockSettings) {
    const clock = settings.clock ?? new ThriftyClock();
    this.#pool = new NodePool(settings.nodes, {
      clock,
      random: settings.random ?? new SystemRandom(),
      nodeTimeout: settings.nodeTimeout,
    });
    this.#emit = settings.listener ?? (() => undefined);
    this.#defaults = settings.defaults ?? {};
    checkLockOptions(this.#defaults, 'defaults');
    this.#maxResources = settings.maxResources ?? MAX_RESOURCES;
    this.#maxTtl = Math.floor(settings.maxTtl ?? MAX_TTL);
    const base = resolveLockOptions(defaultsWithin(this.#maxTtl), this.#defaults, this.#maxTtl);
    this.#forAcquire = new OptionBook(base, this.#maxTtl);
    this.#forWork = new OptionBook({ ...base, autoExtend: this.#defaults.autoExtend ?? true }, this.#maxTtl);
    this.#held = settings.held ?? new HeldLocks();
    this.#shutdown = new Shutdown(clock);
    this.#lines = new WaitingLines(this.#pool, settings.maxWaiters ?? MOST_WAITERS);
    this.#acquisition = new Acquisition({ pool: this.#pool, maxTtl: this.#maxTtl, lines: this.#lines });
    this.#surroundings = {
      pool: this.#pool,
      maxTtl: this.#maxTtl,
      emit: this.#emit,
      followed: (lease) => this.#lines.follows(lease),
      passOn: (...passing) => this.#lines.passOn(...passing),
      ended: (lease) => this.#over(lease),
    };
  }

  /**
   * Connects to every node; resolves once each has answered or failed once.
   * @throws TypeError where two addresses lead to one server
   */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    try {
      refuseReentry(options);
      return this.#take(toResources(resource, this.#maxResources), this.#forAcquire.resolve(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryAcquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock | null> {
    try {
      return await this.acquire(resource, { ...options, waitTimeout: 0 });
    } catch (error) {
      if (error instanceof ResourceLockedError) return null;
      throw error;
    }
  }

  async withLock<T>(
    resource: string | readonly string[],
    work: (lock: Lock) => T | Promise<T>,
    options?: LockOptions | CallOptions,
  ): Promise<T> {
    if (typeof work !== 'function') {
      throw new TypeError('withLock takes the resource, the work and then the options; the work must be a function');
    }
    const use = await this.#enter(toResources(resource, this.#maxResources), this.#forWork.resolve(options));
    let lost;
    let result: T;
    try {
      use.lock.assertValid();
      result = await use.run(() => work(use.lock));
    } finally {
      lost = await use.leave();
    }
    if (lost) throw lost;
    return result;
  }

  /** @throws TypeError, RangeError for options that no call could have */
  check(options: LockOptions): void {
    this.#forWork.resolve(options);
  }

  async status(): Promise<RedlockStatus> {
    await this.open();
    return statusOf(this.#pool, this.#pool.timeoutFor(this.#forAcquire.base.ttl));
  }

  /** Takes no new locks, lets holders finish for at most `timeout` ms, and takes the locks of the rest away. */
  async drain(timeout: number, tell?: (holders: readonly Holder[]) => void): Promise<void> {
    await this.#shutdown.drain(timeout, tell);
  }

  async close(): Promise<void> {
    // From now on there is nothing to open.
    this.#opening ??= Promise.resolve();
    await this.drain(0);
    await this.#pool.close();
    this.#held.close();
  }

  /** The lock, or where that was asked for a share of the one that the current async context already holds. */
  async #enter(resources: readonly string[], options: ResolvedLockOptions): Promise<Use> {
    const shared = options.reentrant ? this.#held.share(resources) : undefined;
    return shared ?? this.#held.hold(await this.#take(resources, options));
  }

  async #take(resources: readonly string[], options: ResolvedLockOptions): Promise<Lease> {
    this.#held.tell(resources, this.#emit);
    this.#shutdown.enter();
    try {
      const closing = this.#shutdown.stopFor({ holder: this.#held.any });
      const patience = new Patience(this.#pool, options, closing);
      patience.throwIfAborted();
      // For callers that are faster than the start of the application, or that it has none.
      const start = this.#isOpen ? patience.since : await this.#opened(patience, resources);
      const contest = new CallerContest({ resources, terms: options, patience }, this.#emit);
      const won = await this.#acquisition.take(contest, options, start);
      const lease = new Lease(this.#surroundings, won, { terms: options, taken: contest.taken! });
      if (isPatient(options) && (resources.length === 1 || won.parts)) this.#lines.hold(lease);
      else this.#lines.adopt(lease);
      const refused = this.#shutdown.keep(lease);
      if (refused) await refused;
      return lease;
    } finally {
      this.#shutdown.left();
    }
  }

  /** What time it is when the pool is open; a caller that waits does so for no longer than it wants to. */
  async #opened(patience: Patience, resources: readonly string[]): Promise<Moment> {
    await new Promise<void>((resolve, reject) => {
      const timeout = (): void => reject(errorOf(notConnected(this.#pool.nodes), resources));
      const stop = patience.watch(patience.leftForVote, { timeout, abort: reject });
      this.open().then(resolve, reject).finally(stop);
    });
    return this.#pool.clock.now();
  }

  #over(lease: Lease): void {
    this.#lines.leave(lease);
    this.#shutdown.over(lease);
  }

  async #open(): Promise<void> {
    await this.#pool.open(this.#emit);
    this.#isOpen = true;
  }
}
