import { type Observable, Subject } from 'rxjs';
import type { LockEvent } from './engine/events.js';
import type { Lock } from './engine/lock.js';
import type { LockOptions } from './engine/options.js';
import type { AbortSignalLike } from './engine/abort.js';
import type { LockForOnce, PreparedCall } from './engine/redlock.js';
import type { ReplyRegister } from './engine/reply-register.js';
import type { LockNode, OpenedByVote } from './engine/lock-node.js';
import { NestedLocks } from './engine/nested.js';
import { Redlock, type RedlockSettings } from './engine/redlock.js';
import { LEADER, MAX_RESOURCES, toResources } from './engine/resources.js';
import { publish } from './engine/channels.js';
import { DEFAULT_LOCK_OPTIONS, MAX_TTL, invalidValue } from './engine/options.js';
import { holderOf } from './engine/process-mark.js';
import { systemRandom } from './engine/random.js';
import type { Clock } from './engine/clock.js';
import type { RedlockStatus, StatusOptions } from './engine/status.js';
import { SystemClock } from './engine/system-clock.js';
import { type Candidate, type Electorate, type LeadOptions, RoleCandidate } from './leader/candidate.js';
import type { CurrentLeader } from './leader/current-leader.js';
import type { LeaderWork } from './leader/term.js';
import { EventLog } from './logging/event-log.js';
import { MistakenPartLog } from './with-lock/key/mistaken-part.js';
import { QuorumWait } from './start-up/quorum-wait.js';
import type { RedlockModuleOptions } from './redlock.options.js';
import { ACQUIRE_ONCE, CHECK, EMIT, HOLDS, REGISTER, WITH_PREPARED } from './redlock.tokens.js';
import type { ExceptionFactory } from './with-lock/reply/exceptions.js';
import { namesOf } from './with-lock/key/lock-key.js';
import { SafeLogger } from './logging/safe-logger.js';
import { coded, mistake } from './engine/codes.js';

/** Ms. @see RedlockModuleOptions.shutdownTimeout */
export const SHUTDOWN_TIMEOUT = 5_000;

/**
 * Takes locks on one pool of nodes. Nest injects the service.
 * @hideconstructor
 */
export class RedlockService {
  readonly #logger = new SafeLogger(RedlockService.name);
  readonly #events = new Subject<LockEvent>();
  readonly #held = new NestedLocks();
  readonly #log: EventLog;
  readonly #mistakenParts = new MistakenPartLog(this.#logger);
  readonly #start: QuorumWait;
  readonly #redlock: Redlock;
  readonly #shutdownTimeout: number;
  readonly #nodeCount: number;
  readonly #maxResources: number;
  readonly #isEnabled: boolean;
  readonly #name: string | undefined;
  readonly #candidates = new Map<string, RoleCandidate>();
  readonly #electorate: Electorate;
  #isShuttingDown = false;
  #ending: Promise<void> | undefined;
  readonly #withPrepared = <T>(call: PreparedCall<T>): Promise<T> =>
    this.#onceStarted(() => this.#redlock.withPrepared(call), call);

  /** Emits what happens to the locks and nodes of the pool. */
  readonly events$: Observable<LockEvent> = this.#events.asObservable();
  /** @internal The `exceptionFactory` of the module: makes what a handler throws when its lock fails. */
  readonly exceptionFactory: ExceptionFactory | undefined;

  constructor(
    nodes: readonly LockNode[],
    options: Omit<RedlockModuleOptions, 'nodes' | 'keyPrefix'> = {},
    { clock = new SystemClock(), ...pool }: Pick<RedlockSettings, 'clock' | 'random' | 'name' | 'mark'> = {},
  ) {
    if (!Array.isArray(nodes))
      throw mistake(
        'REDLOCK_E04',
        'RedlockService is no provider to list: import RedlockModule.forRoot({ nodes }) instead, which provides it',
      );
    const { nodeTimeout, maxTtl, defaults, maxWaiters, maxResources = MAX_RESOURCES } = options;
    this.exceptionFactory = options.exceptionFactory;
    this.#shutdownTimeout = options.shutdownTimeout ?? SHUTDOWN_TIMEOUT;
    this.#nodeCount = nodes.length;
    this.#maxResources = maxResources;
    this.#isEnabled = options.enabled ?? true;
    this.#name = pool.name;
    const status = (): Promise<RedlockStatus> => this.#redlock.status();
    this.#log = new EventLog(this.#logger, { logKeys: options.logKeys, clock, nodes: nodes.length, status });
    this.#start = new QuorumWait(this.#logger, clock, status, options.waitForQuorum ?? false);
    this.#redlock = new Redlock({
      ...pool,
      nodes,
      nodeTimeout,
      maxTtl,
      defaults,
      maxWaiters,
      maxResources,
      clock,
      held: this.#held,
      listener: (event) => this.#notify(event),
    });
    const { driftFactor = DEFAULT_LOCK_OPTIONS.driftFactor } = defaults ?? {};
    this.#electorate = this.#electorateOf(clock, {
      maxTtl: maxTtl ?? MAX_TTL,
      driftFactor,
      random: pool.random ?? systemRandom,
    });
  }

  #electorateOf(clock: Clock, bounds: Pick<Electorate, 'maxTtl' | 'driftFactor' | 'random'>): Electorate {
    return {
      clock,
      ...bounds,
      emit: (event) => this.#notify(event),
      elect: (name, { ttl, signal }) => {
        const resource = LEADER + name;
        const elect = () => this.#redlock.acquireForLeader(resource, { ttl, signal, label: resource });
        return this.#onceStarted(elect, { signal });
      },
      announce: (name, { fencingToken: token, value: owner }) =>
        this.#redlock.register.announce(LEADER + name, { token, owner, fingerprint: null }),
      closed: ({ name }) => void this.#candidates.delete(name),
    };
  }

  /**
   * Takes a lock. Release it by `release()` or `await using`.
   * @throws ResourceLockedError, QuorumNotReachedError, LockKeyError, RedlockClosedError; the reason of `options.signal`;
   * TypeError, RangeError for wrong options
   * @example
   * ```ts
   * await using lock = await redlock.acquire('report:2026', { ttl: 30_000, autoExtend: true });
   * ```
   */
  acquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock> {
    this.#mistakenParts.look(resource);
    return this.#onceStarted(() => this.#redlock.acquire(resource, options), options);
  }

  /**
   * Tries once to take a lock, and returns null if the resource is held. If callers split the votes, the call tries again.
   * @throws QuorumNotReachedError, LockKeyError, RedlockClosedError; TypeError, RangeError for wrong options
   */
  tryAcquire(resource: string | readonly string[], options?: LockOptions): Promise<Lock | null> {
    this.#mistakenParts.look(resource);
    return this.#onceStarted(() => this.#redlock.tryAcquire(resource, options), options);
  }

  /**
   * Runs `work` under a lock. The lock is extended while `work` runs, and released when `work` succeeds or fails.
   * @throws what `acquire` throws; what `work` throws; LockLostError if the lock was lost while `work` ran;
   * TypeError for a `reentrant` call if the code around the call holds only some of the resources
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
    this.#mistakenParts.look(resource);
    return this.#onceStarted(() => this.#redlock.withLock(resource, work, options), options);
  }

  /**
   * Returns the name that `@WithLock` makes of this template and these arguments. Several templates return several names.
   * @throws LockKeyError if an argument is missing or unusable; TypeError for a malformed template
   * @example
   * ```ts
   * await redlock.withLock(redlock.key('user:<0.email|trim|lower>', dto), () => register(dto));
   * ```
   */
  key(template: string, ...args: readonly unknown[]): string;
  key(template: readonly string[], ...args: readonly unknown[]): readonly string[];
  key(template: string | readonly string[], ...args: readonly unknown[]): string | readonly string[] {
    const names = namesOf(template, args);
    return typeof template === 'string' ? names[0]! : names;
  }

  /**
   * Makes this process a candidate for a role that one process has at a time. `work` runs whenever this process is elected. Candidates are elected
   * in the order in which they came.
   * @throws TypeError, RangeError for a wrong option, and if this process is a candidate for the role already; LockKeyError for a wrong name
   * @example
   * ```ts
   * const candidate = redlock.lead('telegram-bot', async (term) => {
   *   await bot.launch({ signal: term.signal });
   *   return () => bot.stop();
   * });
   * ```
   */
  lead(name: string, work: LeaderWork, options: LeadOptions = {}): Candidate {
    if (typeof name !== 'string' || name === '') throw invalidValue('lead: name', name, 'a text that is not empty');
    toResources(LEADER + name);
    if (this.#candidates.has(name))
      throw mistake('REDLOCK_E14', `This process is a candidate for "${name}" already; close that candidate first`);
    const candidate = new RoleCandidate(name, work, options, this.#electorate);
    this.#candidates.set(name, candidate);
    return candidate;
  }

  /** Returns who leads; null if nobody does, or if no quorum of the nodes says who. @throws LockKeyError for a wrong name */
  async leader(name: string): Promise<CurrentLeader | null> {
    const resource = LEADER + name;
    toResources(resource);
    await this.#redlock.open();
    const attempt = await this.#redlock.register.running(resource);
    const holder = attempt && holderOf(attempt.value);
    return holder ? { ...holder, term: attempt.token, since: new Date(Date.now() - attempt.age) } : null;
  }

  /** Asks every node whether it votes, and returns the state of the pool. @throws TypeError, RangeError for a wrong timeout */
  async status(options?: StatusOptions): Promise<RedlockStatus> {
    const status = await this.#redlock.status(options);
    return this.#isEnabled ? status : { ...status, disabled: true };
  }

  /** True once shutdown has begun, for readiness checks. The pool grants locks until the servers of the application are closed. */
  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** @internal `withLock` for calls of a method with `@WithLock`, unless a subclass or a spy replaces `withLock`: then undefined. */
  get [WITH_PREPARED](): (<T>(call: PreparedCall<T>) => Promise<T>) | undefined {
    return this.withLock === RedlockService.prototype.withLock ? this.#withPrepared : undefined;
  }

  /** @internal Emits what happens to calls of methods with `@WithLock`. */
  [EMIT](event: LockEvent): void {
    this.#notify(event);
  }

  /** @internal Returns whether the current async context holds a lock on any of these resources. */
  [HOLDS](resources: readonly string[]): boolean {
    return this.#held.among(resources).length > 0;
  }

  /** @internal Takes a lock whose votes open a record; resolves with undefined if the nodes have the record already. */
  [ACQUIRE_ONCE](resource: string, options: LockOptions, opens: OpenedByVote): Promise<LockForOnce | undefined> {
    return this.#onceStarted(() => this.#redlock.acquireOnce(resource, options, opens), options);
  }

  /** @internal The records of what was done under locks of this pool. */
  get [REGISTER](): ReplyRegister {
    return this.#redlock.register;
  }

  /** @internal Throws for options, or for a number of resources, that no call of this pool could have. */
  [CHECK](options: LockOptions, resources = 1): void {
    this.#redlock.check(options);
    if (resources > this.#maxResources)
      throw mistake('REDLOCK_E10', `a lock takes at most ${this.#maxResources} keys; got ${resources}`, {
        Kind: RangeError,
      });
  }

  /** @internal Called by Nest, as are the other hooks. They are not for users, so the class does not declare their interfaces. */
  async onModuleInit(): Promise<void> {
    if (this.#nodeCount % 2 === 0) {
      this.#logger.warn(coded('REDLOCK_W15', evenNumber(this.#nodeCount)));
    }
    await this.#redlock.open();
    try {
      await this.#start.untilQuorum();
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
    this.#start.isOver = true;
  }

  /** @internal The servers of the application still answer requests after this hook, so their handlers still get locks. */
  onModuleDestroy(): void {
    this.#isShuttingDown = true;
    this.#start.stop();
  }

  /** @internal The leaders of this process resign while it still answers requests. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#candidates.values()].map((candidate) => candidate.end('shutdown')));
  }

  /** @internal The servers of the application are closed: lets the remaining holders finish, then closes the pool. */
  onApplicationShutdown(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    // At once if nobody campaigns, so that no further lock is granted.
    if (this.#candidates.size > 0) await this.beforeApplicationShutdown();
    await this.#redlock.drain(this.#shutdownTimeout, (holders) => this.#log.waits(holders, this.#shutdownTimeout));
    this.#log.stop();
    await this.#redlock.close().finally(() => this.#log.stop());
    this.#events.complete();
  }

  /** Runs a call at once. Before the application has started, it waits for a quorum of the nodes if `waitForQuorum` says so. */
  #onceStarted<T>(
    call: () => Promise<T>,
    options: { readonly signal?: AbortSignalLike | undefined } | undefined,
  ): Promise<T> {
    return this.#start.isOver ? call() : this.#start.early(call, options?.signal);
  }

  #notify(event: LockEvent): void {
    this.#log.notify(event);
    // Usually nobody has subscribed, and this check costs less than `next` without a subscriber.
    if (this.#events.observed) this.#events.next(Object.freeze(event));
    publish(event, this.#name);
  }
}

/** Returns why an even number of nodes is worth no more than one node less. */
function evenNumber(nodes: number): string {
  const failures = nodes / 2 - 1;
  const tolerated = failures === 0 ? 'no failure' : failures === 1 ? 'only 1 failure' : `only ${failures} failures`;
  return `${nodes} nodes tolerate ${tolerated}, the same as ${nodes - 1}. Use ${nodes - 1} or ${nodes + 1}`;
}
