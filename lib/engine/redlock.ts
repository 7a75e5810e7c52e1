import { hostname } from 'node:os';
import { ResourceLockedError } from './errors.js';
import { type LockListener, refusalCodeOf } from './events.js';
import { guarded } from './guarded.js';
import type { Lock } from './lock.js';
import {
  checkDefaults,
  checkLockOptions,
  defaultsWithin,
  type LockOptions,
  MAX_TTL,
  type OwnOptions,
  type PreparedOptions,
  prepareOptions,
} from './options.js';
import { MAX_RESOURCES, refuseTooMany, slotsOf, toResources } from './resources.js';
import { startNow } from './thenable.js';
import { observed, publishNested } from './call-trace.js';
import { Call, isPart, type Part, take } from './caller.js';
import { isObserved } from './channels.js';
import type { Clock } from './clock.js';
import { HeldLock, type LockOwner } from './held-lock.js';
import { LocalQueues } from './local-queues.js';
import type { LockNode, OpenedByVote } from './lock-node.js';
import { NestedLocks, refuseReentry, type Use } from './nested.js';
import { DuplicateServers, refuseDuplicateServers } from './duplicate-servers.js';
import { type Denied, errorOf } from './denied.js';
import { Pool } from './pool.js';
import { QuorumWatch } from './quorum-watch.js';
import { markOf } from './process-mark.js';
import { type Random, systemRandom } from './random.js';
import { ReplyRegister } from './reply-register.js';
import { takeAll, takeSeveral } from './several.js';
import { checkSlots, takeSlot } from './slots.js';
import { type RemainingLock, Shutdown } from './shutdown.js';
import { type RedlockStatus, statusOf, type StatusOptions } from './status.js';
import { SystemClock } from './system-clock.js';
import { mistake } from './codes.js';

export interface RedlockSettings {
  readonly nodes: readonly LockNode[];
  /** The name of the pool, for telemetry. @default none */
  readonly name?: string | undefined;
  /** @default real time */
  readonly clock?: Clock | undefined;
  /** @default the randomness of the operating system */
  readonly random?: Random | undefined;
  /** What the values of this pool begin with, and nobody else's. @default the host, the process and a random text */
  readonly mark?: string | undefined;
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

/** A leader waits for as long as it takes, and leads for as long as it can. */
const FOR_LEADER: LockOptions = {
  waitTimeout: Infinity,
  quorumTimeout: Infinity,
  retryCount: Infinity,
  autoExtend: true,
  maxHold: Infinity,
  minHold: 0,
};

/** A lock for work that is to run once, and whether the votes have opened the record of the work. */
export interface LockForOnce {
  readonly lock: Lock;
  readonly isOpened: boolean;
}

type Work<T> = (lock: Lock) => T | Promise<T>;

/** One of many calls whose options are prepared once, such as the calls of one method with `@WithLock`. */
export interface PreparedCall<T> extends OwnOptions {
  /** Checked already, except for their number. */
  readonly resources: readonly string[];
  readonly work: Work<T>;
  /** The same object for all of the calls, and unchanged. */
  readonly options: LockOptions;
}

/** Distributed locks over N independent masters, by the algorithm of the Redis distributed-locks page. */
export class Redlock implements LockOwner {
  readonly #pool: Pool;
  readonly #name: string | undefined;
  readonly #queues: LocalQueues;
  readonly #maxTtl: number;
  readonly #forAcquire: PreparedOptions;
  readonly #forWork: PreparedOptions;
  /** The prepared options of calls that share them. */
  readonly #prepared = new WeakMap<LockOptions, PreparedOptions>();
  readonly #held: NestedLocks;
  readonly #maxResources: number;
  readonly #shutdown: Shutdown;
  readonly emit: LockListener;
  #opening: Promise<void> | undefined;
  #isOpen = false;
  #register: ReplyRegister | undefined;

  constructor(settings: RedlockSettings) {
    const { nodes, clock = new SystemClock(), random = systemRandom, nodeTimeout, defaults = {} } = settings;
    const { mark = uniqueMark(markOf({ application: 'node', host: hostname(), pid: process.pid }), random) } = settings;
    const maxTtl = Math.floor(settings.maxTtl ?? MAX_TTL);
    this.#maxTtl = maxTtl;
    this.#name = settings.name;
    this.#maxResources = settings.maxResources ?? MAX_RESOURCES;
    this.emit = guarded('A listener of lock events', settings.listener ?? (() => undefined));
    this.#pool = new Pool(nodes, clock, random, { maxTtl, nodeTimeout });
    this.#queues = new LocalQueues(this.#pool, mark, settings.maxWaiters);
    checkDefaults(defaults);
    this.#forAcquire = prepareOptions(defaultsWithin(maxTtl), defaults, maxTtl);
    this.#forWork = { ...this.#forAcquire, autoExtend: defaults.autoExtend ?? true };
    this.#held = settings.held ?? new NestedLocks();
    this.#shutdown = new Shutdown(clock);
  }

  /** The records of what was done under locks. */
  get register(): ReplyRegister {
    return (this.#register ??= new ReplyRegister(this.#pool));
  }

  /** Connects to every node; resolves when each node has answered or failed once. */
  open(): Promise<void> {
    this.#opening ??= this.#awake(() => this.#open());
    return this.#opening;
  }

  async #open(): Promise<void> {
    const { nodes } = this.#pool;
    const quorum = new QuorumWatch(nodes.length, this.emit);
    const emit: LockListener = (event) => {
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
      return statusOf(this.#pool, options?.timeout ?? this.#pool.timeoutFor(this.#forAcquire.ttl));
    });
  }

  acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    try {
      refuseReentry(options);
      return this.#takeObserved(
        toResources(resource, this.#maxResources),
        this.#prepare(this.#forAcquire, options),
      ) as Promise<Lock>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * `acquire` for work that is to run once: the votes open its record, so that no call of its own is needed for that. Resolves with undefined if the
   * nodes have a record: the work is done.
   */
  async acquireOnce(resource: string, options: LockOptions, opens: OpenedByVote): Promise<LockForOnce | undefined> {
    const prepared = this.#prepare(this.#forAcquire, options);
    const own = { opens: { ...opens, ttl: Math.max(opens.ttl, 2 * this.#maxTtl) } };
    const lock = await this.#takeObserved(toResources(resource, this.#maxResources), prepared, own);
    return lock && { lock, isOpened: lock.opened === own.opens };
  }

  /** Waits for its turn without a limit, and keeps the lock until the release or its loss. */
  async acquireForLeader(resource: string, options: Pick<LockOptions, 'ttl' | 'label' | 'signal'>): Promise<Lock> {
    const prepared = this.#prepare(this.#forAcquire, { ...FOR_LEADER, ...options });
    return (await this.#takeObserved(toResources(resource), prepared, { isCandidate: true }))!;
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
        throw mistake(
          'REDLOCK_E04',
          'withLock takes the resource, the work and then the options; the work must be a function',
        );
      return this.#run(toResources(resource, this.#maxResources), work, this.#prepare(this.#forWork, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** `withLock` for a call whose options are prepared once, together with those of other calls. @throws what `withLock` rejects with */
  withPrepared<T>(call: PreparedCall<T>): Promise<T> {
    refuseTooMany(call.resources, this.#maxResources);
    Object.freeze(call.resources);
    let options = this.#prepared.get(call.options);
    if (!options) this.#prepared.set(call.options, (options = this.#prepare(this.#forWork, call.options)));
    return this.#run(call.resources, call.work, options, call);
  }

  /** Checks the options of later calls. @throws TypeError, RangeError for options that no call could have */
  check(options: LockOptions): void {
    this.#prepare(this.#forWork, options);
  }

  /** Refuses new locks, lets holders finish for at most `timeout` ms, and then revokes the locks that are still held. */
  drain(timeout: number, notify?: (holders: readonly RemainingLock[]) => void): Promise<void> {
    return this.#awake(() => this.#shutdown.drain(timeout, notify && guarded('The listener of a shutdown', notify)));
  }

  close(): Promise<void> {
    return this.#awake(async () => {
      this.#opening ??= Promise.resolve();
      await this.drain(0);
      this.#register?.close();
      // A lease that was won for an aborted call goes back in the next turn.
      await new Promise<void>((resolve) => this.#pool.clock.nextTurn(resolve));
      await this.#pool.close();
      this.#held.close();
    });
  }

  over(lock: HeldLock): void {
    this.#shutdown.over(lock);
  }

  #prepare(base: PreparedOptions, options: LockOptions | undefined): PreparedOptions {
    if (options === undefined) return base;
    checkLockOptions(options, 'lock options');
    return prepareOptions(base, options, this.#maxTtl);
  }

  async #run<T>(resources: readonly string[], work: Work<T>, options: PreparedOptions, own?: OwnOptions): Promise<T> {
    const shared = options.reentrant ? this.#held.reenter(resources, options) : undefined;
    if (shared && isObserved()) publishNested({ pool: this.#name, resources, options }, shared.lock);
    const use: Use = shared ?? this.#held.hold((await this.#takeObserved(resources, options, own))!);
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

  /** Publishes the life of the lock if somebody observes it. Resolves with undefined only for `acquireOnce`: the nodes have the record of its work. */
  #takeObserved(
    resources: readonly string[],
    options: PreparedOptions,
    own?: OwnOptions,
  ): Promise<HeldLock | undefined> {
    checkSlots(resources, options);
    if (!isObserved()) return this.#take(this.#call(resources, options, own, this.emit), this);
    const observedCall = { pool: this.#name, resources, options, skips: own?.skips };
    return observed(observedCall, { emit: this.emit, clock: this.#pool.clock }, (trace) => {
      const owner = { emit: trace.note, over: (lock: HeldLock) => this.over(lock), trace };
      return this.#take(this.#call(resources, options, own, trace.note), owner);
    });
  }

  async #take(call: Call, owner: LockOwner): Promise<HeldLock | undefined> {
    const { resources } = call;
    this.#shutdown.enter();
    try {
      call.throwIfAborted();
      if (!this.#isOpen) await this.#openWithin(call);
      const taken = await this.#takeFor(call);
      if (Array.isArray(taken)) return await this.#hold(taken, call, owner);
      if (isPart(taken)) return await this.#hold([taken], call, owner);
      if (taken.kind !== 'recorded') throw refusal(taken, call);
      owner.trace?.skip();
      return undefined;
    } catch (error) {
      const code = refusalCodeOf(error, call.isAborted);
      const cause = error instanceof ResourceLockedError ? error.cause : undefined;
      owner.emit({ type: 'refused', resources, waited: Math.round(call.waited), code, ...(cause && { cause }) });
      throw error;
    } finally {
      this.#shutdown.exit();
    }
  }

  #takeFor(call: Call): Promise<Part | Part[] | Denied> {
    const { resources, options } = call;
    const { limit, take: share } = options;
    if (limit === undefined && resources.length > 1) return takeSeveral(this.#queues, call);
    if (limit === undefined) return take(this.#queues, resources[0]!, call, call.manner);
    const slots = slotsOf(resources[0]!, limit);
    if (share === 'all') return takeAll(this.#queues, call, { gate: `${resources[0]!}~all`, slots });
    return takeSlot(this.#queues, call, slots);
  }

  #call(resources: readonly string[], options: PreparedOptions, own: OwnOptions | undefined, emit: LockListener): Call {
    const inside = this.#held.blocking(resources, options);
    if (inside.length > 0) this.emit({ type: 'self-contended', resources, holding: inside });
    const closing = this.#shutdown.stopFor({ holder: this.#held.any });
    const holding = this.#held.besides(resources);
    const signal = own?.signal ?? options.signal;
    const { opens, isCandidate } = own ?? {};
    return new Call(resources, options, this.#pool.clock, { closing, holding, emit, signal, opens, isCandidate });
  }

  async #hold(parts: readonly Part[], call: Call, owner: LockOwner): Promise<HeldLock> {
    const { resources, options } = call;
    const lock = new HeldLock(this.#pool, resources, parts, { options, owner });
    const refused = this.#shutdown.track(lock);
    if (refused) await refused;
    call.acquired(parts, lock.fencingToken);
    // A listener of `acquired` may have blocked the event loop until the lease ended, or aborted the call.
    if (lock.isValid && !call.isAborted) return lock;
    for (const { lease } of parts) lease.withdrawRecord();
    await lock.release();
    call.throwIfAborted();
    throw refusal({ kind: 'blocked', nodes: [] }, call);
  }

  /** Some calls come before the application has started, or in an application that is never started. */
  async #openWithin(call: Call): Promise<void> {
    const { clock, names } = this.#pool;
    const { waitTimeout, quorumTimeout } = call.options;
    const opening = this.open();
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
    await Promise.race([opening, tooLate]).finally(stop);
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

/** Returns what all values of one pool begin with: nobody else has the random text. */
export function uniqueMark(mark: string, random: Random): string {
  return `${mark}:${random.id()}.`;
}

function refusal(denied: Denied, { resources, holding }: Call): Error {
  return errorOf(denied, resources, holding);
}
