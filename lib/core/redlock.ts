import { Acquisition } from './acquire/acquisition.js';
import { CallerRequest } from './acquire/caller-request.js';
import { ResourceLockedError } from './api/errors.js';
import { refusalCodeOf, type LockListener } from './api/events.js';
import { guarded } from './api/guarded.js';
import type { LeaseContext } from './lease/lease-context.js';
import { HeldLock } from './lease/held-lock.js';
import { Lease } from './lease/lease.js';
import { DelayedReleases } from './lease/release.js';
import type { Lock } from './api/lock.js';
import { Holders } from './quorum/holders.js';
import { NodePool } from './quorum/node-pool.js';
import { MAX_TTL, checkLockOptions, type LockOptions, type PreparedOptions } from './api/options.js';
import { Opening } from './acquire/opening.js';
import { defaultsWithin, OptionPreparer, prepareOptions } from './api/prepared-options.js';
import type { SharedCall, Work } from './api/shared-call.js';
import { WaitBudget } from './quorum/outcome/wait-budget.js';
import { SystemRandom } from './collections/random.js';
import type { RedlockSettings } from './redlock-settings.js';
import { NestedLocks, refuseReentry, type Use } from './lease/nested-locks.js';
import { MAX_RESOURCES, refuseTooMany, toResources } from './api/resources.js';
import { isObserved } from './api/telemetry/channels.js';
import { observed, publishNested } from './api/telemetry/call-trace.js';
import { startNow } from './lease/thenable.js';
import { Shutdown, type RemainingLock } from './lease/shutdown.js';
import { statusOf, type RedlockStatus, type StatusOptions } from './quorum/status.js';
import { SystemClock } from './time/system-clock.js';
import { CallerQueues } from './acquire/callers/caller-queues.js';

const MOST_WAITERS = 10_000;

/** Distributed locks over N independent masters, by the algorithm of the Redis distributed-locks page. */
export class Redlock {
  readonly #pool: NodePool;
  readonly #leaseContext: LeaseContext;
  readonly #name: string | undefined;
  readonly #emit: LockListener;
  readonly #forAcquire: OptionPreparer;
  readonly #forWork: OptionPreparer;
  readonly #held: NestedLocks;
  readonly #releases: DelayedReleases;
  readonly #acquisition: Acquisition;
  readonly #holders: Holders;
  readonly #maxTtl: number;
  readonly #maxResources: number;
  readonly #shutdown: Shutdown;
  readonly #opening: Opening;

  constructor(settings: RedlockSettings) {
    const { clock = new SystemClock(), defaults = {} } = settings;
    this.#pool = new NodePool(settings.nodes, {
      clock,
      random: settings.random ?? new SystemRandom(),
      nodeTimeout: settings.nodeTimeout,
      isUnobserved: settings.isUnobserved,
    });
    this.#name = settings.name;
    this.#emit = guarded('A listener of lock events', settings.listener ?? (() => undefined));
    this.#opening = new Opening(this.#pool, this.#emit);
    checkLockOptions(defaults, 'defaults');
    this.#maxResources = settings.maxResources ?? MAX_RESOURCES;
    this.#maxTtl = Math.floor(settings.maxTtl ?? MAX_TTL);
    const base = prepareOptions(defaultsWithin(this.#maxTtl), defaults, this.#maxTtl);
    this.#forAcquire = new OptionPreparer(base, this.#maxTtl);
    this.#forWork = new OptionPreparer({ ...base, autoExtend: defaults.autoExtend ?? true }, this.#maxTtl);
    this.#held = settings.held ?? new NestedLocks();
    this.#shutdown = new Shutdown(clock);
    const callers = new CallerQueues(this.#pool, settings.maxWaiters ?? MOST_WAITERS);
    this.#releases = new DelayedReleases(this.#pool);
    const context = { pool: this.#pool, releases: this.#releases, maxTtl: this.#maxTtl, callers };
    const { isHeard = () => settings.listener !== undefined } = settings;
    this.#acquisition = new Acquisition({ ...context, isHeard });
    this.#holders = new Holders(this.#pool, settings.self);
    this.#leaseContext = { ...context, emit: this.#emit, shutdown: this.#shutdown };
  }

  /**
   * Connects to every node; resolves when each node has answered or failed once.
   * @throws TypeError if two addresses lead to one server
   */
  open(): Promise<void> {
    return this.#awake(() => this.#opening.open());
  }

  acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    try {
      refuseReentry(options);
      return this.#takeObserved(toResources(resource, this.#maxResources), this.#forAcquire.prepare(options));
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

  withLock<T>(resource: string | readonly string[], work: Work<T>, options?: LockOptions): Promise<T> {
    try {
      if (typeof work !== 'function')
        throw new TypeError('withLock takes the resource, the work and then the options; the work must be a function');
      return this.#run(toResources(resource, this.#maxResources), work, this.#forWork.prepare(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** `withLock` for a call whose options are prepared once, together with those of other calls. @throws what `withLock` rejects with */
  withShared<T>(call: SharedCall<T>): Promise<T> {
    refuseTooMany(call.resources, this.#maxResources);
    Object.freeze(call.resources);
    return this.#run(call.resources, call.work, this.#forWork.prepareShared(call.options, call));
  }

  /** Checks the options of later calls. @throws TypeError, RangeError for options that no call could have */
  check(options: LockOptions): void {
    this.#forWork.prepare(options);
  }

  status(options?: StatusOptions): Promise<RedlockStatus> {
    return this.#awake(async () => {
      await this.#opening.open();
      return statusOf(this.#pool, options?.timeout ?? this.#pool.timeoutFor(this.#forAcquire.base.ttl));
    });
  }

  /** Refuses new locks, lets holders finish for at most `timeout` ms, and then revokes the locks that are still held. */
  drain(timeout: number, notify?: (holders: readonly RemainingLock[]) => void): Promise<void> {
    return this.#awake(() => this.#shutdown.drain(timeout, notify && guarded('The listener of a shutdown', notify)));
  }

  close(): Promise<void> {
    return this.#awake(async () => {
      this.#opening.end();
      await this.drain(0);
      this.#releases.close();
      await this.#pool.close();
      this.#held.close();
    });
  }

  /** Keeps the process alive until `work` is done: by themselves, connections and timers do not. */
  async #awake<T>(work: () => Promise<T>): Promise<T> {
    const letEnd = this.#pool.clock.keepAlive?.();
    try {
      return await work();
    } finally {
      letEnd?.();
    }
  }

  async #run<T>(resources: readonly string[], work: Work<T>, options: PreparedOptions): Promise<T> {
    const use = await this.#enter(resources, options);
    let lost;
    let result: T;
    try {
      use.lock.assertValid();
      result = await use.run(() => startNow(work(use.lock)));
    } finally {
      lost = await use.leave();
    }
    if (lost) throw lost;
    return result;
  }

  /** Returns a new lock or, if the call is reentrant, a share of the lock that the current async context already holds. */
  async #enter(resources: readonly string[], options: PreparedOptions): Promise<Use> {
    const shared = options.reentrant ? this.#held.share(resources) : undefined;
    if (shared && isObserved(this.#pool)) publishNested({ pool: this.#name, resources, options }, shared.lock);
    return shared ?? this.#held.hold(await this.#takeObserved(resources, options));
  }

  /** Publishes the life of the lock if somebody observes it. */
  #takeObserved(resources: readonly string[], options: PreparedOptions): Promise<HeldLock> {
    if (!isObserved(this.#pool)) return this.#take(this.#leaseContext, resources, options);
    const call = { pool: this.#name, resources, options };
    return observed(this.#leaseContext, call, (context) => this.#take(context, resources, options));
  }

  async #take(context: LeaseContext, resources: readonly string[], options: PreparedOptions): Promise<HeldLock> {
    this.#held.notify(resources, this.#emit);
    const holding = this.#held.besides(resources);
    const budget = new WaitBudget(this.#pool, options, this.#shutdown.stopFor({ holder: this.#held.any }));
    this.#shutdown.enter();
    try {
      budget.throwIfAborted();
      // Some callers come before the application has started, or in an application that is never started.
      const start = this.#opening.isOpen ? budget.since : await this.#opening.within(budget, resources);
      const request = new CallerRequest(
        { resources, terms: options, budget, start, holding },
        context.emit,
        this.#holders,
      );
      const won = await this.#acquisition.take(request);
      const lease = new Lease(context, won, { terms: options, taken: request.taken! });
      this.#acquisition.announce(request, lease, won);
      const refused = this.#shutdown.track(lease);
      if (refused) await refused;
      return new HeldLock(lease, won.claim);
    } catch (error) {
      const code = refusalCodeOf(error, budget.aborted);
      const cause = this.#holders.nameIn(error);
      context.emit({ type: 'refused', resources, waited: Math.round(budget.waited), code, ...(cause && { cause }) });
      throw error;
    } finally {
      this.#shutdown.exit();
    }
  }
}
