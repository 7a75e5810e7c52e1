import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import {
  type AcquireMessage,
  acquiring,
  type CallMessage,
  extending,
  type ExtendMessage,
  holding,
  type HoldMessage,
  joined,
} from '../engine/channels.js';
import type { LockLossReason, LockLostError, RedlockErrorCode } from '../engine/errors.js';
import {
  answerHistogram,
  attributesOf,
  counts,
  errorTypeOf,
  type Pool,
  poolName,
  type ResourceNaming,
  waitHistogram,
} from './attributes.js';
import { OpenOperations, type Subscriptions } from './subscriptions.js';

const EXTENDED: Readonly<Partial<Record<RedlockErrorCode, string>>> = {
  LOCK_LOST: 'lost',
  QUORUM_NOT_REACHED: 'no_quorum',
};

const LOSSES: readonly LockLossReason[] = ['nodes', 'pause', 'ttl', 'max_hold', 'shutdown'];

/** The metrics of locks. Their attributes have as many values as the program has locked methods and labels, times the outcomes. */
export class LockMetrics {
  readonly #acquires: Histogram;
  readonly #holds: Histogram;
  readonly #extensions: Histogram;
  readonly #losses: Counter;
  /** The pools and templates of the locks that were taken. */
  readonly #known = new Set<string>();
  readonly #waiting = new OpenOperations<AcquireMessage>();
  readonly #held = new OpenOperations<HoldMessage>();
  readonly #extending = new OpenOperations<ExtendMessage>();

  constructor(
    private readonly meter: Meter,
    private readonly resource: ResourceNaming,
    private readonly pools: () => readonly Pool[],
  ) {
    this.#acquires = waitHistogram(meter, 'redlock.acquire.duration', 'Time from the call for a lock to its outcome');
    this.#holds = waitHistogram(meter, 'redlock.hold.duration', 'Time for which locks were held');
    this.#extensions = answerHistogram(meter, 'redlock.extend.duration', 'Time that the extension of a lock took');
    this.#losses = meter.createCounter('redlock.lost', { unit: '{lock}', description: 'Locks lost by their holders' });
  }

  observe(subscriptions: Subscriptions): void {
    subscriptions.on(acquiring.start, (message: AcquireMessage) => this.#waiting.begin(message));
    subscriptions.on(acquiring.asyncEnd, (message: AcquireMessage) => this.#answered(message));
    subscriptions.on(holding.start, (message: HoldMessage) => this.#taken(message));
    subscriptions.on(holding.asyncEnd, (message: HoldMessage) => this.#over(message));
    subscriptions.on(extending.start, (message: ExtendMessage) => this.#extending.begin(message));
    subscriptions.on(extending.asyncEnd, (message: ExtendMessage) => this.#extended(message));
    subscriptions.on(joined, (message: CallMessage) =>
      this.#acquires.record(0, { ...this.#attributes(message), 'redlock.outcome': 'joined' }),
    );
    this.#observeOpen(subscriptions);
  }

  #observeOpen(subscriptions: Subscriptions): void {
    const waiting = counts(this.meter, 'redlock.waiting', ['{caller}', 'Callers that wait for a lock']);
    const held = counts(this.meter, 'redlock.held', ['{lock}', 'Locks that are held']);
    subscriptions.collect(this.meter, [waiting, held], (result) => {
      const names = this.pools().map(({ name }) => name);
      for (const pool of new Set([...names, ...this.#waiting.pools, ...this.#held.pools])) {
        const attributes = { 'redlock.pool': poolName(pool) };
        result.observe(waiting, this.#waiting.countOf(pool), attributes);
        result.observe(held, this.#held.countOf(pool), attributes);
      }
    });
  }

  #answered(message: AcquireMessage): void {
    if (this.#waiting.end(message) === undefined) return;
    const { outcome = 'error', path, waited = 0 } = message;
    const how: Attributes = { 'redlock.outcome': outcome, ...(path && { 'redlock.path': path }) };
    this.#acquires.record(waited / 1_000, { ...this.#attributes(message), ...how });
  }

  #taken(message: HoldMessage): void {
    this.#held.begin(message);
    const call = JSON.stringify([message.pool, message.template]);
    if (this.#known.has(call)) return;
    this.#known.add(call);
    // A counter that is not there before its first loss shows no increase with it.
    for (const reason of LOSSES) this.#losses.add(0, { ...this.#attributes(message), 'redlock.loss.reason': reason });
  }

  #over(message: HoldMessage): void {
    if (this.#held.end(message) === undefined) return;
    const attributes = this.#attributes(message);
    const { end = 'released', held = 0, error } = message;
    this.#holds.record(held / 1_000, { ...attributes, 'redlock.end': end });
    if (end === 'released') return;
    this.#losses.add(1, { ...attributes, 'redlock.loss.reason': (error as LockLostError).reason });
  }

  #extended(message: ExtendMessage): void {
    const duration = this.#extending.end(message);
    if (duration === undefined) return;
    const { error, pool } = message;
    const outcome = error === undefined ? 'extended' : (EXTENDED[errorTypeOf(error) as RedlockErrorCode] ?? 'error');
    this.#extensions.record(duration / 1_000, { 'redlock.pool': poolName(pool), 'redlock.outcome': outcome });
  }

  #attributes(message: CallMessage): Attributes {
    return attributesOf(message, this.resource);
  }
}
