import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from 'node:diagnostics_channel';
import type { BatchObservableCallback, Context, Meter, Observable } from '@opentelemetry/api';
import { guarded } from '../engine/guarded.js';
import { monotonicNow } from '../engine/native-timers.js';

/** Whose code the listeners call. */
const SDK = 'The SDK of OpenTelemetry';

/** What was subscribed to, so that all of it ends together. */
export class Subscriptions {
  readonly #ends: (() => void)[] = [];

  /** Calls `listener` with every message of a channel. */
  on(channel: Pick<Channel, 'subscribe' | 'unsubscribe'>, listener: (message: never) => void): void {
    const onMessage = guarded(SDK, (message: unknown): void => listener(message as never));
    channel.subscribe(onMessage);
    this.#ends.push(() => channel.unsubscribe(onMessage));
  }

  /** Runs what a channel wraps in the context that `contextOf` makes of its message. */
  bind(
    channel: Pick<Channel, 'bindStore' | 'unbindStore'>,
    contexts: AsyncLocalStorage<Context>,
    contextOf: (message: never) => Context,
  ): void {
    const store = contexts as AsyncLocalStorage<unknown>;
    const make = guarded(SDK, (message: unknown, done: (context: unknown) => void) =>
      done(contextOf(message as never)),
    );
    channel.bindStore(store, (message) => {
      let context = store.getStore();
      make(message, (made) => (context = made));
      return context;
    });
    this.#ends.push(() => channel.unbindStore(store));
  }

  /** Calls `observe` whenever the metrics are collected. */
  collect(meter: Meter, instruments: Observable[], observe: BatchObservableCallback): void {
    meter.addBatchObservableCallback(observe, instruments);
    this.#ends.push(() => meter.removeBatchObservableCallback(observe, instruments));
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

/** The operations of one kind that have begun and not ended, counted by pool. */
export class OpenOperations<Message extends { readonly pool: string | undefined }> {
  readonly #began = new WeakMap<Message, number>();
  readonly #counts = new Map<string | undefined, number>();

  /** The pools that have had such an operation. */
  get pools(): Iterable<string | undefined> {
    return this.#counts.keys();
  }

  countOf(pool: string | undefined): number {
    return this.#counts.get(pool) ?? 0;
  }

  begin(message: Message): void {
    this.#began.set(message, monotonicNow());
    this.#count(message, 1);
  }

  /** Returns the ms since the operation began; undefined for an operation that began before it was observed. */
  end(message: Message): number | undefined {
    const began = this.#began.get(message);
    if (began === undefined) return undefined;
    this.#began.delete(message);
    this.#count(message, -1);
    return monotonicNow() - began;
  }

  #count({ pool }: Message, change: number): void {
    this.#counts.set(pool, this.countOf(pool) + change);
  }
}
