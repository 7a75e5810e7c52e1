import { ResourceLockedError } from '../core/api/errors.js';
import { refusalCodeOf, type LockListener } from '../core/api/events.js';
import { guarded } from '../core/api/guarded.js';
import type { Lock } from '../core/api/lock.js';
import { checkLockOptions, MAX_TTL, type LockOptions, type PreparedOptions } from '../core/api/options.js';
import { defaultsWithin, OptionPreparer, prepareOptions } from '../core/api/prepared-options.js';
import { MAX_RESOURCES, refuseTooMany, toResources } from '../core/api/resources.js';
import type { SharedCall, Work } from '../core/api/shared-call.js';
import type { RedlockStatus, StatusOptions } from '../core/quorum/status.js';
import { startNow } from '../core/lease/thenable.js';
import { Call, isPart, take, type Part } from './caller.js';
import type { Clock } from './clock.js';
import { HeldLock, type LockOwner } from './held-lock.js';
import { LocalQueues } from './local-queues.js';
import type { LockNode } from './lock-node.js';
import { NestedLocks, refuseReentry, type Use } from './nested.js';
import { DuplicateServers, refuseDuplicateServers } from './duplicate-servers.js';
import { errorOf, type Denied } from './outcome.js';
import { Pool } from './pool.js';
import { QuorumWatch } from '../core/quorum/quorum-watch.js';
import type { Random } from './random.js';
import { takeSeveral } from './several.js';
import { Shutdown, type RemainingLock } from './shutdown.js';
import { statusOf } from './status.js';
import { WarningThrottle } from '../core/quorum/warning-throttle.js';

export interface RedlockSettings {
  readonly nodes: readonly LockNode[];
  readonly clock: Clock;
  readonly random: Random;
  /** What the values of this process begin with, and nobody else's. */
  readonly mark: string;
  readonly nodeTimeout?: number | undefined;
  /** How many callers of this process may wait for one resource. @default 10_000 */
  readonly maxWaiters?: number | undefined;
  /** How many resources one lock may have. @default 64 */
  readonly maxResources?: number | undefined;
  /** Ms that a lease may last without an extension; must be the same for all clients of these nodes. @default 30_000 */
  readonly maxTtl?: number | undefined;
  readonly defaults?: LockOptions | undefined;
  readonly held?: NestedLocks | undefined;
  readonly listener?: LockListener | undefined;
}

/** Distributed locks over N independent masters, by the algorithm of the Redis distributed-locks page. */
export class Redlock implements LockOwner {
  readonly #pool: Pool;
  readonly #queues: LocalQueues;
  readonly #forAcquire: OptionPreparer;
  readonly #forWork: OptionPreparer;
  readonly #held: NestedLocks;
  readonly #maxResources: number;
  readonly #shutdown: Shutdown;
  readonly emit: LockListener;
  #opening: Promise<void> | undefined;
  #isOpen = false;

  constructor(settings: RedlockSettings) {
    const { nodes, clock, random, mark, nodeTimeout, defaults = {} } = settings;
    const maxTtl = Math.floor(settings.maxTtl ?? MAX_TTL);
    this.#maxResources = settings.maxResources ?? MAX_RESOURCES;
    this.emit = guarded('A listener of lock events', settings.listener ?? (() => undefined));
    this.#pool = new Pool(nodes, clock, random, { maxTtl, nodeTimeout });
    this.#queues = new LocalQueues(this.#pool, mark, settings.maxWaiters);
    checkLockOptions(defaults, 'defaults');
    const base = prepareOptions(defaultsWithin(maxTtl), defaults, maxTtl);
    this.#forAcquire = new OptionPreparer(base, maxTtl);
    this.#forWork = new OptionPreparer({ ...base, autoExtend: defaults.autoExtend ?? true }, maxTtl);
    this.#held = settings.held ?? new NestedLocks();
    this.#shutdown = new Shutdown(clock);
  }

  /** Connects to every node; resolves when each node has answered or failed once. */
  open(): Promise<void> {
    this.#opening ??= this.#awake(() => this.#open());
    return this.#opening;
  }

  async #open(): Promise<void> {
    const { nodes, clock } = this.#pool;
    const [quorum, warnings] = [new QuorumWatch(nodes.length, this.emit), new WarningThrottle(clock)];
    const emit: LockListener = (event) => {
      if (event.type === 'node-warning' && !warnings.passes(event.node)) return;
      this.emit(event);
      quorum.note(event);
    };
    const duplicates = new DuplicateServers(({ name }, reason) => emit({ type: 'node-warning', node: name, reason }));
    await this.#pool.open({
      event: emit,
      identified: (node) => this.#isOpen && duplicates.note(nodes[node]!),
      handedOff: (node, message) => this.#queues.handedOff(node, message),
    });
    try {
      refuseDuplicateServers(nodes);
    } catch (error) {
      await this.#pool.close();
      throw error;
    }
    this.#isOpen = true;
    for (const node of nodes) duplicates.note(node);
    quorum.opened();
  }

  status(options?: StatusOptions): Promise<RedlockStatus> {
    return this.#awake(async () => {
      await this.open();
      return statusOf(this.#pool, options?.timeout ?? this.#pool.timeoutFor(this.#forAcquire.base.ttl));
    });
  }

  acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    try {
      refuseReentry(options);
      return this.#take(toResources(resource, this.#maxResources), this.#forAcquire.prepare(options));
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

  /** Refuses new locks, lets holders finish for at most `timeout` ms, and then revokes the locks that are still held. */
  drain(timeout: number, notify?: (holders: readonly RemainingLock[]) => void): Promise<void> {
    return this.#awake(() => this.#shutdown.drain(timeout, notify && guarded('The listener of a shutdown', notify)));
  }

  close(): Promise<void> {
    return this.#awake(async () => {
      this.#opening ??= Promise.resolve();
      await this.drain(0);
      await this.#pool.close();
      this.#held.close();
    });
  }

  over(lock: HeldLock): void {
    this.#shutdown.over(lock);
  }

  async #run<T>(resources: readonly string[], work: Work<T>, options: PreparedOptions): Promise<T> {
    const shared = options.reentrant ? this.#held.share(resources) : undefined;
    const use: Use = shared ?? this.#held.hold(await this.#take(resources, options));
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

  async #take(resources: readonly string[], options: PreparedOptions): Promise<HeldLock> {
    const call = this.#call(resources, options);
    this.#shutdown.enter();
    try {
      call.throwIfAborted();
      if (!this.#isOpen) await this.#openWithin(call);
      const taken =
        resources.length > 1
          ? await takeSeveral(this.#queues, call)
          : await take(this.#queues, resources[0]!, call, !call.isPatient);
      if (Array.isArray(taken) || isPart(taken)) return await this.#hold([taken].flat(), call);
      throw refusal(taken, call);
    } catch (error) {
      const code = refusalCodeOf(error, call.isAborted);
      this.emit({ type: 'refused', resources, waited: Math.round(call.waited), code });
      throw error;
    } finally {
      this.#shutdown.exit();
    }
  }

  #call(resources: readonly string[], options: PreparedOptions): Call {
    const inside = this.#held.among(resources);
    if (inside.length > 0) this.emit({ type: 'self-contended', resources, holding: inside });
    const closing = this.#shutdown.stopFor({ holder: this.#held.any });
    const holding = this.#held.besides(resources);
    return new Call(resources, options, this.#pool.clock, { closing, holding, emit: this.emit });
  }

  async #hold(parts: readonly Part[], call: Call): Promise<HeldLock> {
    const { resources, options } = call;
    const lock = new HeldLock(this.#pool, resources, parts, { options, owner: this });
    const refused = this.#shutdown.track(lock);
    if (refused) await refused;
    call.acquired(parts, lock.fencingToken);
    // Listeners may have computed, or aborted the call.
    if (lock.isValid && !call.isAborted) return lock;
    await lock.release();
    call.throwIfAborted();
    throw refusal({ kind: 'blocked', nodes: [] }, call);
  }

  /** Some calls come before the application has started, or in an application that is never started. */
  async #openWithin(call: Call): Promise<void> {
    const { clock, names } = this.#pool;
    const { waitTimeout, quorumTimeout } = call.options;
    let stop = (): void => undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      const nodes = names.map((node) => ({ node, outcome: 'unknown', detail: 'not connected yet' }) as const);
      const late = (): void => reject(refusal({ kind: 'unavailable', nodes }, call));
      const stopTimer =
        waitTimeout > 0 ? clock.schedule(Math.min(waitTimeout, quorumTimeout) - call.waited, late) : undefined;
      const stopListening = call.onAbort(reject);
      stop = () => {
        stopTimer?.();
        stopListening();
      };
    });
    await Promise.race([this.open(), tooLate]).finally(stop);
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
}

function refusal(denied: Denied, { resources, holding }: Call): Error {
  return errorOf(denied, resources, holding);
}
