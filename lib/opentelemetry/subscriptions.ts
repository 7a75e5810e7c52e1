import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from 'node:diagnostics_channel';
import type { BatchObservableCallback, Context, Meter, Observable } from '@opentelemetry/api';
import { guarded } from '../engine/guarded.js';

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
