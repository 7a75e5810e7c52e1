import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createContextKey, ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Subscriptions } from '../../../lib/opentelemetry/subscriptions.js';

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

describe('the subscriptions of the telemetry', () => {
  // No other file uses this channel: what a test leaves on a channel stays for the files after it.
  const own = channel('nestjs-redlock:subscriptions.spec');
  let subscriptions: Subscriptions;
  beforeEach(() => void (subscriptions = new Subscriptions()));

  it('leave a channel as if nobody had observed it', () => {
    const messages: unknown[] = [];
    subscriptions.on(own, (message) => messages.push(message));
    subscriptions.on(own, (message) => messages.push(message));
    own.publish(1);
    subscriptions.end();
    own.publish(2);
    expect(messages).toEqual([1, 1]);
    expect(own.hasSubscribers).toBe(false);
  });

  it('report what the SDK throws once, and leave the channel and the context as they are', () => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const fail = (): never => {
      throw new Error('the exporter is gone');
    };
    subscriptions.on(own, fail);
    const contexts = new AsyncLocalStorage<Context>();
    subscriptions.bind(own, contexts, fail);
    for (let count = 0; count < 3; count += 1) own.publish(count);
    expect(contexts.run(ROOT_CONTEXT, () => own.runStores({}, () => contexts.getStore()))).toBe(ROOT_CONTEXT);
    expect(warning.mock.calls.map(([text]) => text)).toEqual(
      Array(2).fill(expect.stringContaining('the exporter is gone')),
    );
    warning.mockRestore();
    subscriptions.end();
  });

  it('leave the context as it is', () => {
    const contexts = new AsyncLocalStorage<Context>();
    const bound = ROOT_CONTEXT.setValue(createContextKey('bound'), true);
    subscriptions.bind(own, contexts, () => bound);
    expect(own.runStores({}, () => contexts.getStore())).toBe(bound);
    subscriptions.end();
    expect(own.runStores({}, () => contexts.getStore())).toBeUndefined();
    expect(own.hasSubscribers).toBe(false);
  });

  it('are asked for no figures any more', async () => {
    const reader = new Reader();
    const meter = new MeterProvider({ readers: [reader] }).getMeter('spec');
    let collected = 0;
    subscriptions.collect(meter, [meter.createObservableGauge('spec')], () => void (collected += 1));
    await reader.collect();
    subscriptions.end();
    await reader.collect();
    expect(collected).toBe(1);
  });
});
