import type { Histogram, Meter } from '@opentelemetry/api';
import { type OnceMessage, onces } from '../engine/channels.js';
import { attributesOf, type ResourceNaming, waitHistogram } from './attributes.js';
import { OpenOperations, type Subscriptions } from './subscriptions.js';

/** Bytes, from a tombstone to what a database may keep. */
const SIZES = [64, 256, 1_024, 4_096, 16_384, 65_536, 262_144];

/** The metrics of calls that run once for their key. */
export class OnceMetrics {
  readonly #durations: Histogram;
  readonly #sizes: Histogram;
  readonly #running = new OpenOperations<OnceMessage>();

  constructor(
    meter: Meter,
    private readonly resource: ResourceNaming,
  ) {
    this.#durations = waitHistogram(meter, 'redlock.once.duration', 'Time from an idempotent call to its outcome');
    const [unit, description] = ['By', 'Size of the records of kept replies'];
    const advice = { explicitBucketBoundaries: SIZES };
    this.#sizes = meter.createHistogram('redlock.reply.size', { unit, description, advice });
  }

  observe(subscriptions: Subscriptions): void {
    subscriptions.on(onces.start, (message: OnceMessage) => this.#running.begin(message));
    subscriptions.on(onces.asyncEnd, (message: OnceMessage) => this.#answered(message));
  }

  #answered(message: OnceMessage): void {
    const duration = this.#running.end(message);
    if (duration === undefined) return;
    const { outcome = 'error', size } = message;
    const attributes = attributesOf(message, this.resource);
    this.#durations.record(duration / 1_000, { ...attributes, 'redlock.once.outcome': outcome });
    if (size !== undefined) this.#sizes.record(size, attributes);
  }
}
