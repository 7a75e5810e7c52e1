import { setMaxListeners } from 'node:events';
import type { LockListener } from './events.js';
import type { AbortSignalLike, AbortSource } from './abort.js';
import type { PreparedOptions } from './options.js';
import { elapsed, type Clock, type Moment } from './clock.js';
import type { Lease } from './lease.js';
import type { LocalQueue } from './local-queue.js';
import type { LocalQueues } from './local-queues.js';
import type { Denied } from './denied.js';
import type { OpenedByVote } from './lock-node.js';
import { POLLS_OF_TTL, type QueuedCaller } from './queued-caller.js';

/** A lease of one resource, and the queue that gave it. */
export interface Part {
  readonly queue: LocalQueue;
  readonly lease: Lease;
  readonly attempts: number;
}

/** One call for a lock: what it wants, and how long it waits for that. */
export class Call {
  /** When the call was made. */
  readonly since: Moment;
  #isContended = false;

  constructor(
    readonly resources: readonly string[],
    readonly options: PreparedOptions,
    private readonly clock: Clock,
    private readonly around: {
      /** Aborts when the pool shuts down. */
      readonly closing: AbortSource;
      /** Other resources that the code around the call holds. */
      readonly holding: readonly string[] | undefined;
      readonly emit: LockListener;
      /** Ends the wait. */
      readonly signal: AbortSignalLike | undefined;
      readonly opens?: OpenedByVote | undefined;
      readonly isCandidate?: boolean | undefined;
    },
  ) {
    this.since = clock.now();
    // A call listens once for each resource, and many calls may share a signal.
    if (around.signal instanceof AbortSignal) setMaxListeners(Infinity, around.signal);
  }

  get closing(): AbortSource {
    return this.around.closing;
  }

  /** Ends the wait. */
  get signal(): AbortSignalLike | undefined {
    return this.around.signal;
  }

  /** The record that the votes open. */
  get opens(): OpenedByVote | undefined {
    return this.around.opens;
  }

  /** Whether the call may wait for days, and so asks seldom. */
  get isCandidate(): boolean {
    return this.around.isCandidate === true;
  }

  /** Whether the call waits at all. */
  get isPatient(): boolean {
    return this.options.waitTimeout > 0 && this.options.retryCount > 0;
  }

  get manner(): Manner {
    return this.isPatient ? 'wait' : 'try';
  }

  get isAborted(): boolean {
    return this.closing.reason !== undefined || this.signal?.aborted === true;
  }

  throwIfAborted(): void {
    if (this.closing.reason !== undefined) throw this.closing.reason;
    this.signal?.throwIfAborted();
  }

  /** Ms since the call was made. */
  get waited(): number {
    return elapsed(this.since, this.clock.now());
  }

  /** Resources that the code around the call holds while the call waits. */
  get holding(): readonly string[] | undefined {
    return this.isPatient ? this.around.holding : undefined;
  }

  /** Emits `contended` once: somebody else has a resource. */
  contended(): void {
    if (this.#isContended) return;
    this.#isContended = true;
    const { resources, holding } = this;
    this.around.emit({ type: 'contended', resources, ...(holding && { holding }) });
  }

  /** Emits `acquired`. */
  acquired(parts: readonly Part[], fencingToken: number): void {
    const attempts = Math.max(...parts.map((part) => part.attempts));
    const path = parts.some(({ lease }) => lease.hasPassed) ? 'local' : this.#isContended ? 'hand-off' : 'free';
    const waited = Math.round(this.waited);
    this.around.emit({ type: 'acquired', resources: this.resources, waited, attempts, path, fencingToken });
  }

  /** Calls `abort` when the signal of the call or the shutdown ends it; returns a function that stops listening. */
  onAbort(abort: (reason: unknown) => void): () => void {
    const { signal } = this;
    const listener = (): void => abort(signal?.reason);
    signal?.addEventListener('abort', listener);
    const stop = this.closing.listen(abort);
    return () => {
      signal?.removeEventListener('abort', listener);
      stop();
    };
  }
}

/** Whether a caller waits in the queue as the options of its call say, or asks once. 'look': asks once, and the call does not say that it has to wait. */
type Manner = 'wait' | 'try' | 'look';

/** Takes a lease of one resource, or tells why not. @throws the reason of an abort */
export function take(queues: LocalQueues, resource: string, call: Call, manner: Manner): Promise<Part | Denied> {
  return new Promise((resolve, reject) => {
    call.throwIfAborted();
    new Caller(queues, resource, call, manner).begin(resolve, reject);
  });
}

/** Returns whether a call has got a lease. */
export function isPart(taken: Part | Denied): taken is Part {
  return 'lease' in taken;
}

const FULL: Denied = { kind: 'contended', nodes: [], retryAfter: 0, owner: undefined };

/** Ms after which a waiting process asks again at the latest: half of the time for which a node keeps a queue in which nobody asks. */
const LONGEST_PAUSE = 30_000;
/** How often a candidate asks during one ttl. */
const POLLS_OF_CANDIDATE = 4;

/** One caller in the local queue of a resource. It ends once: with a lease, an error, or an abort. */
export class Caller implements QueuedCaller {
  readonly ttl: number;
  readonly driftFactor: number;
  readonly arrival: number;
  readonly isTry: boolean;
  readonly opens: OpenedByVote | undefined;
  cameAt = 0;
  readonly #stops: (() => void)[] = [];
  #queue!: LocalQueue;
  #resolve!: (taken: Part | Denied) => void;
  #reject!: (error: unknown) => void;
  #quorumEnd = Infinity;
  #isListening = false;

  constructor(
    private readonly queues: LocalQueues,
    private readonly resource: string,
    private readonly call: Call,
    private readonly manner: Manner,
  ) {
    // If nobody may wait, each caller asks once.
    this.isTry = manner !== 'wait' || queues.maxWaiters === 0;
    this.opens = call.opens;
    this.ttl = call.options.ttl;
    this.driftFactor = call.options.driftFactor;
    this.arrival = queues.pool.dateOf(call.since);
  }

  begin(resolve: (taken: Part | Denied) => void, reject: (error: unknown) => void): void {
    this.#queue = this.queues.of(this.resource);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stops.push(this.call.closing.listen((reason) => this.#abort(reason)));
    const { pool } = this.queues;
    // Most calls never wait, and their first attempt ends by itself: without a real signal, a call listens and sets a timer only when it has to wait.
    if (this.call.signal instanceof AbortSignal || this.call.options.waitTimeout <= pool.timeoutFor(this.ttl))
      this.#listen();
    const isFull = !this.isTry && this.#queue.size >= this.queues.maxWaiters;
    if (isFull) this.denied(this.#queue.latestDenial ?? FULL);
    else this.#queue.join(this);
  }

  retryIn(): number {
    const pause = this.call.isCandidate ? this.#nextTick : this.#pause;
    return Math.max(1, Math.min(pause, LONGEST_PAUSE, this.#quorumEnd - this.#now));
  }

  get #pause(): number {
    const { retryDelay, retryJitter } = this.call.options;
    const pause = retryDelay + (this.queues.pool.random.fraction() * 2 - 1) * retryJitter;
    return Math.min(pause, this.ttl / POLLS_OF_TTL);
  }

  /** All candidates of a process ask in the same turns of the event loop, so that they share commands. */
  get #nextTick(): number {
    const between = this.ttl / POLLS_OF_CANDIDATE;
    return between - (this.#now % between);
  }

  contended(): void {
    this.#listen();
    if (this.manner !== 'look') this.call.contended();
  }

  goesOn(denied: Denied, attempts: number, noQuorumSince: number | undefined): boolean {
    const { options, since } = this.call;
    if (attempts > options.retryCount || denied.kind === 'recorded') return false;
    this.#listen();
    this.#quorumEnd = Infinity;
    if (noQuorumSince === undefined) return true;
    this.#quorumEnd = Math.min(this.#deadline, Math.max(since.monotonic, noQuorumSince) + options.quorumTimeout);
    const left = this.#quorumEnd - this.#now;
    return left > 0 && !(denied.kind === 'quarantined' && denied.earliest > left);
  }

  /** Ends the wait without an answer: the call has ended, or has got another slot. */
  end(): void {
    if (this.#stops.length === 0) return; // it has not begun
    this.#over();
    this.#queue.giveUp(this, true);
  }

  granted(lease: Lease, attempts: number): void {
    this.#over();
    this.#resolve({ queue: this.#queue, lease, attempts });
  }

  denied(denied: Denied): void {
    this.#over();
    this.#resolve(denied);
  }

  /** Listens for the end of the wait: by the signal of the call, or by its time. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { signal } = this.call;
    const left = this.#deadline - this.#now;
    if (this.call.isPatient && left < Infinity)
      this.#stops.push(this.queues.pool.clock.schedule(Math.max(0, left), () => this.#timeIsUp()));
    const abort = (): void => this.#abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    this.#stops.push(() => signal?.removeEventListener('abort', abort));
    if (signal?.aborted) abort();
  }

  /** Whatever ends first: the wait, or the time of all attempts, which a caller behind others of its process does not make itself. */
  get #deadline(): number {
    const { waitTimeout, retryCount, retryDelay, retryJitter } = this.call.options;
    const attempt = retryDelay + retryJitter + this.queues.pool.timeoutFor(this.ttl);
    return this.call.since.monotonic + Math.min(waitTimeout, retryCount * attempt);
  }

  get #now(): number {
    return this.queues.pool.clock.now().monotonic;
  }

  #timeIsUp(): void {
    const denial = this.#queue.bestDenialFor(this);
    this.#queue.giveUp(this);
    this.denied(denial);
  }

  #abort(reason: unknown): void {
    this.#queue.giveUp(this);
    this.#over();
    this.#reject(reason);
  }

  #over(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}
