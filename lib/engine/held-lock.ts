import { type LockLossReason, LockLostError, QuorumNotReachedError } from './errors.js';
import type { LockListener } from './events.js';
import type { Lock } from './lock.js';
import { type PreparedOptions, toTtl } from './options.js';
import type { CallTrace } from './call-trace.js';
import type { Part } from './caller.js';
import { type Clock, elapsed, type Moment } from './clock.js';
import type { Extension } from './lease.js';
import type { OpenedByVote } from './lock-node.js';
import { outcomesOf } from './denied.js';
import type { Pool } from './pool.js';
import { slotOf } from './resources.js';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';

/** The parts of the ttl after which a lease is extended, and after which a failed extension is tried again. */
const RENEW = 3;
const RETRY = 12;
/** How often a lease is looked at during its ttl if somebody listens for its loss: timers stop while the machine is suspended. */
const LOOKS = 12;
/** Ms: the shortest time between two extensions. */
const CLOSEST = 5;

/** What a held lock tells the pool. */
export interface LockOwner {
  readonly emit: LockListener;
  /** Publishes the life of this lock. @default nobody observes it */
  readonly trace?: CallTrace;
  /** Called once when the lock is over: released or lost. */
  over(lock: HeldLock): void;
}

type HoldOptions = Pick<
  PreparedOptions,
  'ttl' | 'driftFactor' | 'autoExtend' | 'maxHold' | 'minHold' | 'limit' | 'take' | 'signal'
>;

/** A lock that is held, as its holder sees it: one lease for each resource. It is valid while all of them are. */
export class HeldLock implements Lock {
  readonly value: string;
  readonly #pool: Pool;
  readonly #parts: readonly Part[];
  readonly #options: HoldOptions;
  readonly #owner: LockOwner;
  /** When the holder got the lock. */
  readonly #taken: Moment;
  readonly #loss = new LossSignal();
  readonly #token: number;
  #state: 'held' | 'released' | 'lost' = 'held';
  /** Ms that an automatic extension asks for: the ttl of the latest extension. */
  #ttl: number;
  /** Whether the nodes did not confirm the latest extension. */
  #isUnconfirmed = false;
  #isWatched = false;
  #lastExtension: Promise<void> | undefined;
  #release: Promise<void> | undefined;
  /** Settles when the nodes know that the lock is over. */
  #givenBack: Promise<unknown> | undefined;
  #stopTimer: (() => void) | undefined;
  /** Ms on the monotonic clock: when the lease is to be extended. */
  #renewAt = Infinity;

  constructor(
    pool: Pool,
    readonly resources: readonly string[],
    parts: readonly Part[],
    { options, owner }: { readonly options: HoldOptions; readonly owner: LockOwner },
  ) {
    this.#pool = pool;
    this.#parts = parts;
    // Without the signal of the call, which a lock that is held for long must not keep alive.
    this.#options = options.signal === undefined ? options : { ...options, signal: undefined };
    this.#owner = owner;
    this.#ttl = options.ttl;
    this.#taken = pool.clock.now();
    this.value = parts[0]!.lease.value;
    this.#token = Math.max(...parts.map(({ lease }) => lease.token));
    this.#renewNext(this.#taken, parts[0]!.lease.since);
  }

  /** Returns this class's view of a lock; undefined for a lock that this package did not make, such as a test double, which may be any value. */
  static of(lock: Lock): HeldLock | undefined {
    return Object(lock) === lock && #parts in lock ? lock : undefined;
  }

  /** The record that the votes have opened. */
  get opened(): OpenedByVote | undefined {
    return this.#parts[0]!.lease.opened;
  }

  get taken(): Moment {
    return this.#taken;
  }

  get fencingToken(): number {
    return this.#token;
  }

  /** How much of the resource it is. */
  get shares(): Pick<PreparedOptions, 'limit' | 'take'> {
    return this.#options;
  }

  get slot(): number | undefined {
    const { limit, take } = this.#options;
    return limit === undefined || take === 'all' ? undefined : slotOf(this.#parts[0]!.lease.resource);
  }

  get validity(): number {
    return this.remainingAt(this.#clock.now());
  }

  get isValid(): boolean {
    return this.validity > 0;
  }

  get signal(): AbortSignal {
    this.#noticeEnd(this.#clock.now());
    this.#watch();
    return this.#loss.signal;
  }

  /** Calls `notify` when the lock is lost, which costs less than a signal; returns the function that removes the listener. */
  onLost(notify: (error: LockLostError) => void): () => void {
    this.#watch();
    return this.#loss.listen(notify);
  }

  /** The error that says why the lock was lost, checked on the clock; undefined while the lock is valid and after an ordinary release. */
  get lost(): LockLostError | undefined {
    this.#noticeEnd(this.#clock.now());
    return this.#loss.error;
  }

  assertValid(minimumMs = 0): void {
    const { validity } = this;
    if (validity > 0 && validity >= minimumMs) return;
    throw this.lost ?? (this.#state === 'released' ? this.#releasedError : this.#tooShort(minimumMs));
  }

  extend(ttl: number = this.#options.ttl): Promise<void> {
    return this.#extendNext(() => ttl);
  }

  /** Extends once the extension before has ended. `ttlOf` returns undefined if there is no need to any more. */
  #extendNext(ttlOf: () => number | undefined): Promise<void> {
    const extension = (this.#lastExtension ?? Promise.resolve()).then((): Promise<void> | undefined => {
      const { trace } = this.#owner;
      const ttl = ttlOf();
      if (ttl === undefined) return undefined;
      return trace ? trace.extend(this, () => this.#extend(ttl)) : this.#extend(ttl);
    });
    this.#lastExtension = extension.catch(() => undefined);
    return extension;
  }

  release(): Promise<void> {
    return (this.#release ??= this.within(() => this.#end()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  /** Runs what belongs to the lock in the context of whoever observes it. */
  within<T>(work: () => T): T {
    const { trace } = this.#owner;
    return trace ? trace.within(work) : work();
  }

  /** Ends the lock against the will of its holder. */
  revoke(reason: LockLossReason, why: string): Promise<void> {
    if (this.#state === 'held') this.#lose(reason, why);
    return this.release();
  }

  /** Raises the fencing token to that of the other parts of a lock; false if no quorum confirms that. */
  async raise(token: number): Promise<boolean> {
    const raised = await Promise.all(this.#parts.map(({ lease }) => lease.raise(token)));
    return raised.every(Boolean);
  }

  /** Ends this view of leases that go on as a part of another lock. */
  dissolve(): readonly Part[] {
    this.#state = 'released';
    this.#stopTimer?.();
    return this.#parts;
  }

  /** Ms left of the lease that ends first; 0 once the lock is over. */
  remainingAt(now: Moment): number {
    if (this.#state !== 'held') return 0;
    let remaining = Infinity;
    for (const { lease } of this.#parts) remaining = Math.min(remaining, lease.remainingAt(now));
    return Math.max(0, remaining);
  }

  get #clock(): Clock {
    return this.#pool.clock;
  }

  // ------------------------------------------------------------------------------------------------------------ extension

  async #extend(wanted: number): Promise<void> {
    const { driftFactor } = this.#options;
    const ttl = toTtl(wanted, { driftFactor, maxTtl: this.#pool.maxTtl });
    this.assertValid();
    const asked = this.#clock.now();
    const extending = this.#parts.map(({ lease }) => new Promise<Extension>((resolve) => lease.extend(ttl, resolve)));
    // A shorter lease counts from now on, and is extended again in time.
    const [now, left] = [this.#clock.now(), this.validity];
    if (this.#renewAt < Infinity) this.#renewAt = Math.min(this.#renewAt, now.monotonic + left / RENEW);
    this.#setTimer(now);
    const extensions = await Promise.all(extending);
    for (const extension of extensions) if (extension.kind === 'gone') throw this.#lose('nodes', extension.why);
    this.assertValid();
    for (const extension of extensions) if (extension.kind === 'unproven') throw this.#unproven(extension);
    this.#isUnconfirmed = false;
    this.#ttl = ttl;
    this.#renewNext(this.#clock.now(), asked);
    this.#owner.emit({ type: 'extended', resources: this.resources, validity: Math.floor(this.validity) });
  }

  #unproven({ answers }: Extract<Extension, { kind: 'unproven' }>): QuorumNotReachedError {
    this.#isUnconfirmed = true;
    const nodes = outcomesOf(this.#pool.names, answers);
    return new QuorumNotReachedError(this.resources, nodes, 'the lease could not be extended');
  }

  /** Sets the timer of a lease that counts from `since`: it is extended when a third of its ttl has passed, a little sooner or later. */
  #renewNext(now: Moment, since: Moment): void {
    const delay = (this.#ttl / RENEW) * (0.9 + this.#pool.random.fraction() * 0.2);
    const at = Math.max(now.monotonic, since.monotonic + Math.max(CLOSEST, delay));
    this.#renewAt = this.#mayRenewAt(at) ? at : Infinity;
    this.#setTimer(now);
  }

  #setTimer(now = this.#clock.now()): void {
    this.#stopTimer?.();
    if (this.#state !== 'held') return;
    const look = this.#isWatched ? this.#ttl / LOOKS : Infinity;
    const delay = Math.min(this.remainingAt(now), Math.max(0, this.#renewAt - now.monotonic), look);
    this.#stopTimer = this.#clock.schedule(delay, () => this.#due());
  }

  /** Less than 1 ms left counts as over, because a timer may be that early. */
  #due(): void {
    const now = this.#clock.now();
    if (this.remainingAt(now) < 1) return this.#expire(now);
    // A timer may be early.
    if (this.#renewAt - now.monotonic >= 1) return this.#setTimer(now);
    this.#renewAt = Infinity;
    // An extension by the holder may still be under way: this one waits for it, and the end of the lease does not.
    this.#setTimer(now);
    this.#extendNext(() => (this.#renewAt === Infinity ? this.#ttl : undefined)).catch(() => this.#retry());
  }

  #retry(): void {
    if (this.#state !== 'held') return;
    const now = this.#clock.now();
    const at = now.monotonic + Math.max(CLOSEST, this.#ttl / RETRY);
    if (this.#renewAt === Infinity && this.#mayRenewAt(at)) this.#renewAt = at;
    this.#setTimer(now);
  }

  #mayRenewAt(at: number): boolean {
    const { autoExtend, maxHold } = this.#options;
    return autoExtend && at - this.#taken.monotonic < maxHold;
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#setTimer();
  }

  // ----------------------------------------------------------------------------------------------------------------- end

  #noticeEnd(now: Moment): void {
    if (this.#state === 'held' && this.remainingAt(now) === 0) this.#expire(now);
  }

  #expire(now: Moment): void {
    const gone = this.#parts.find(({ lease }) => lease.gone !== undefined);
    if (gone !== undefined) return void this.#lose('nodes', gone.lease.gone!);
    const { autoExtend, maxHold } = this.#options;
    if (autoExtend && elapsed(this.#taken, now) >= maxHold) {
      this.#lose('max_hold', `extended for maxHold, ${maxHold} ms, and no longer`);
      return;
    }
    // An extension that was due was asked for, unless the process was paused.
    this.#lose(this.#isUnconfirmed ? 'nodes' : autoExtend ? 'pause' : 'ttl', 'its lease ran out');
  }

  #lose(reason: LockLossReason, why: string): LockLostError {
    if (this.#state !== 'held') return this.#loss.error ?? this.#releasedError;
    const error = new LockLostError(this.resources, reason, why);
    // The loss is complete before anybody is told, because a listener may ask for the lock again.
    this.#state = 'lost';
    this.#stopTimer?.();
    this.#loss.happen(error, () => {
      this.#givenBack = this.#giveBack(this.#clock.now());
      this.#owner.over(this);
    });
    this.#owner.emit({ type: 'lost', resources: this.resources, fencingToken: this.#token, error });
    return error;
  }

  async #end(): Promise<void> {
    const now = this.#clock.now();
    this.#noticeEnd(now);
    if (this.#state !== 'held') return void (await this.#givenBack);
    this.#state = 'released';
    this.#stopTimer?.();
    const releasing = this.#giveBack(now);
    // The pool lets the process end once nobody holds a lock. A release has to reach the nodes first.
    const letEnd = this.#clock.keepAlive?.();
    this.#owner.over(this);
    await releasing;
    letEnd?.();
    const held = Math.round(elapsed(this.#taken, now));
    this.#owner.emit({ type: 'released', resources: this.resources, fencingToken: this.#token, held });
  }

  /** Releases the leases, or passes them on; those of a lock with `minHold` are kept on the nodes for so long. */
  #giveBack(now: Moment): Promise<unknown> {
    const keep = Math.ceil((this.#options.minHold ?? 0) - elapsed(this.#taken, now));
    const release = ({ queue, lease }: Part, done: () => void): void => {
      if (keep > 0) queue.keepForMinHold(lease, keep, done);
      else if (this.#state === 'lost') queue.giveBack(lease, done);
      else queue.released(lease, done);
    };
    const released = this.#parts.map((part) => new Promise<void>((resolve) => release(part, resolve)));
    return released.length === 1 ? released[0]! : Promise.all(released);
  }

  get #releasedError(): LockLostError {
    return new LockLostError(this.resources, 'released', 'it was released');
  }

  #tooShort(minimumMs: number): LockLostError {
    return new LockLostError(this.resources, 'ttl', `less than ${minimumMs} ms are left`);
  }
}

/** Knows whether a lock was lost, and notifies its holder. The `AbortSignal` is created only when somebody asks for it. */
export class LossSignal {
  #error: LockLostError | undefined;
  #abort: AbortController | undefined;
  /** Runs a function in the async context of the code that asked for the signal first. */
  #inContextOfHolder: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  #listeners: Set<(error: LockLostError) => void> | undefined;

  get error(): LockLostError | undefined {
    return this.#error;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      this.#inContextOfHolder = AsyncLocalStorage.snapshot();
      // No limit, because any amount of work under the lock may listen.
      setMaxListeners(0, this.#abort.signal);
      if (this.#error) this.#abort.abort(this.#error);
    }
    return this.#abort.signal;
  }

  /** Calls `notify` when the lock is lost, or at once if it is lost already; returns the function that removes the listener. */
  listen(notify: (error: LockLostError) => void): () => void {
    const listeners = (this.#listeners ??= new Set());
    listeners.add(notify);
    if (this.#error) notify(this.#error);
    return () => void listeners.delete(notify);
  }

  /** Records that the lock is lost, calls `first`, and then notifies the listeners. */
  happen(error: LockLostError, first: () => void): void {
    this.#error = error;
    first();
    // A timer or a reply finds the loss, in the context of whatever code it belongs to.
    this.#inContextOfHolder?.(() => this.#abort!.abort(error));
    for (const notify of this.#listeners ?? []) notify(error);
  }
}
