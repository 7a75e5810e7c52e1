import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from 'node:diagnostics_channel';
import type { BatchObservableCallback, Context, Meter, Observable } from '@opentelemetry/api';

/** What was subscribed to, so that all of it ends together. */
export class Subscriptions {
  readonly #ends: (() => void)[] = [];

  /** Calls `listener` with every message of a channel. */
  on(channel: Pick<Channel, 'subscribe' | 'unsubscribe'>, listener: (message: never) => void): void {
    const onMessage = (message: unknown): void => listener(message as never);
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
    channel.bindStore(store, (message) => contextOf(message as never));
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
