import { Agenda } from './agenda.js';
import { systemClock, type Clock } from './clock.js';
import { contend } from './contention.js';
import { ResourceLockedError } from './errors.js';
import type { LockListener } from './events.js';
import { Lease, type LeaseSurroundings } from './lease.js';
import type { LockNode } from './lock-node.js';
import type { Lock } from './lock.js';
import { NodePool } from './node-pool.js';
import {
  DEFAULT_LOCK_OPTIONS,
  checkLockOptions,
  resolveLockOptions,
  type LockOptions,
  type ResolvedLockOptions,
} from './options.js';
import { Patience } from './patience.js';
import { SystemRandom, type Random } from './random.js';
import { HeldLocks, type Use } from './reentry.js';
import { toResources } from './resources.js';
import { Shutdown } from './shutdown.js';
import { statusOf, type RedlockStatus } from './status.js';

export interface RedlockSettings {
  readonly nodes: readonly LockNode[];
  readonly nodeTimeout?: number | undefined;
  readonly defaults?: LockOptions | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly listener?: LockListener;
}

/** Distributed locks over N independent masters, by the algorithm of the Redis distributed-locks page. */
export class Redlock {
  readonly #pool: NodePool;
  readonly #surroundings: LeaseSurroundings;
  readonly #emit: LockListener;
  readonly #defaults: LockOptions;
  readonly #forAcquire: ResolvedLockOptions;
  readonly #forWork: ResolvedLockOptions;
  readonly #held = new HeldLocks();
  readonly #shutdown: Shutdown;
  #opening: Promise<void> | undefined;
  #isOpen = false;

  constructor(settings: RedlockSettings) {
    const clock = settings.clock ?? systemClock;
    this.#pool = new NodePool(settings.nodes, {
      clock,
      random: settings.random ?? new SystemRandom(),
      nodeTimeout: settings.nodeTimeout,
    });
    this.#emit = settings.listener ?? (() => undefined);
    this.#defaults = settings.defaults ?? {};
    checkLockOptions(this.#defaults, 'defaults');
    this.#forAcquire = resolveLockOptions(DEFAULT_LOCK_OPTIONS, this.#defaults);
    this.#forWork = resolveLockOptions({ ...DEFAULT_LOCK_OPTIONS, autoExtend: true }, this.#defaults);
    this.#shutdown = new Shutdown(clock);
    this.#surroundings = {
      pool: this.#pool,
      agenda: new Agenda(clock),
      emit: this.#emit,
      ended: (lease) => this.#shutdown.over(lease),
    };
  }

  /** Connects to every node; resolves once each has answered or failed once, and never rejects. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    return this.#take(toResources(resource), this.#resolve(this.#forAcquire, options));
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
    options?: LockOptions,
  ): Promise<T> {
    if (typeof work !== 'function') {
      throw new TypeError('withLock takes the resource, the work and then the options; the work must be a function');
    }
    const use = await this.#enter(toResources(resource), this.#resolve(this.#forWork, options));
    let lost;
    let result: T;
    try {
      result = await use.run(() => work(use.lock));
    } finally {
      lost = await use.leave();
    }
    if (lost) throw lost;
    return result;
  }

  async status(): Promise<RedlockStatus> {
    await this.open();
    return statusOf(this.#pool, this.#pool.timeoutFor(this.#forAcquire.ttl));
  }

  /** Takes no new locks, lets holders finish for at most `timeout` ms, and takes the locks of the rest away. */
  async drain(timeout: number): Promise<void> {
    await this.#shutdown.drain(timeout);
  }

  async close(): Promise<void> {
    // From now on there is nothing to open.
    this.#opening ??= Promise.resolve();
    await this.drain(0);
    await Promise.all(this.#pool.nodes.map((node) => node.close()));
  }

  /** The lock, or a share of the one that the current async context already holds. */
  async #enter(resources: readonly string[], options: ResolvedLockOptions): Promise<Use> {
    return this.#held.share(resources) ?? this.#held.hold(await this.#take(resources, options));
  }

  #take(resources: readonly string[], options: ResolvedLockOptions): Promise<Lease> {
    return this.#shutdown.follow(async () => {
      const closing = this.#shutdown.signalFor({ holder: this.#held.any });
      const patience = new Patience(this.#pool.clock, options, closing);
      patience.throwIfAborted();
      // For callers that are faster than the start of the application, or that it has none.
      if (!this.#isOpen) await this.open();
      const onContended = (): void => this.#emit({ type: 'contended', resources });
      const won = await contend(this.#pool, { resources, terms: options, patience, onContended });
      this.#emit({ type: 'acquired', resources, waited: Math.round(patience.waited), attempts: won.attempts });
      return new Lease(this.#surroundings, won, options);
    });
  }

  async #open(): Promise<void> {
    await Promise.all(this.#pool.nodes.map((node) => node.open((event) => this.#emit({ ...event, node: node.name }))));
    this.#isOpen = true;
  }

  #resolve(base: ResolvedLockOptions, options: LockOptions | undefined): ResolvedLockOptions {
    if (options === undefined) return base;
    checkLockOptions(options, 'lock options');
    return resolveLockOptions(base, options);
  }
}
