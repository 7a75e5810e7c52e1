import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import { type OnceMessage, onces, thinReplies, type ThinReplyMessage } from '../engine/channels.js';
import { attributesOf, poolName, type ResourceNaming, waitHistogram } from './attributes.js';
import { OpenOperations, type Subscriptions } from './subscriptions.js';

/** Bytes, from a tombstone to what a database may keep. */
const SIZES = [64, 256, 1_024, 4_096, 16_384, 65_536, 262_144];

/** The metrics of calls that run once for their key. */
export class OnceMetrics {
  readonly #durations: Histogram;
  readonly #sizes: Histogram;
  readonly #thin: Counter;
  readonly #running = new OpenOperations<OnceMessage>();

  constructor(
    meter: Meter,
    private readonly resource: ResourceNaming,
  ) {
    this.#durations = waitHistogram(meter, 'redlock.once.duration', 'Time from an idempotent call to its outcome');
    const [unit, description] = ['By', 'Size of the records of kept replies'];
    const advice = { explicitBucketBoundaries: SIZES };
    this.#sizes = meter.createHistogram('redlock.reply.size', { unit, description, advice });
    const thin = { unit: '{reply}', description: 'Replies that fewer than all nodes had when they were kept' };
    this.#thin = meter.createCounter('redlock.reply.thin', thin);
  }

  observe(subscriptions: Subscriptions): void {
    subscriptions.on(onces.start, (message: OnceMessage) => this.#running.begin(message));
    subscriptions.on(onces.asyncEnd, (message: OnceMessage) => this.#answered(message));
    subscriptions.on(thinReplies, ({ pool }: ThinReplyMessage) =>
      this.#thin.add(1, { 'redlock.pool': poolName(pool) }),
    );
  }

  #answered(message: OnceMessage): void {
    const duration = this.#running.end(message);
    if (duration === undefined) return;
    const { outcome = 'error', size } = message;
    const attributes = attributesOf(message, this.resource);
    this.#durations.record(duration / 1_000, { ...attributes, 'redlock.once.outcome': outcome });
    if (size !== undefined) this.#sizes.record(size, attributes);
    // A counter that is not there before its first reply shows no increase with it.
    this.#thin.add(0, { 'redlock.pool': poolName(message.pool) });
  }
}
