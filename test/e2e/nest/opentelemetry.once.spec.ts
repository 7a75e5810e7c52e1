import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { RedlockTelemetryModule, type RedlockTelemetryOptions } from 'nestjs-redlock/opentelemetry';
import { memoryStore, type ReplyStore } from 'nestjs-redlock/idempotency';
import type { OnceRun } from '../../../lib/idempotency/once-call.js';
import { OnceRunner } from '../../../lib/idempotency/run-once.js';
import { poolOn } from '../../support/nest/nodes.js';
import { Telemetry } from '../../support/nest/telemetry.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll } from '../../support/redis-server.js';
import { valueOf, type Series } from '../../support/scrape.js';

const TEMPLATE = 'signup:<body.email>';
const KEY = 'signup:ann@example.org';

describe('the telemetry of calls that run once', () => {
  let telemetry: Telemetry;
  let app: TestApp;

  const start = async (options: RedlockTelemetryOptions = {}): Promise<void> => {
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider, ...options });
    app = await TestApp.start('Express', { imports: [poolOn(await startRedisServers(3)), module] });
  };
  const runner = (store: ReplyStore = memoryStore()): OnceRunner => new OnceRunner({ service: app.redlock, store });
  const run = (body: string): OnceRun => ({
    key: KEY,
    label: TEMPLATE,
    fingerprint: `fingerprint of ${body}`,
    settings: { keep: 60_000, maxBytes: 1_000, onBusy: 'wait', onInterrupted: 'rerun', lock: {} },
    work: () => Promise.resolve({ keep: { kind: 'reply', by: 'value', body } }),
    outcomeOf: () => ({ kind: 'reply', by: 'value', body }),
  });
  const spans = (name: string): ReadableSpan[] => telemetry.spans.filter((span) => span.name === name);
  const count = (series: readonly Series[], redlock_once_outcome: string): number | undefined =>
    valueOf(series, 'redlock_once_duration_count', {
      redlock_pool: 'default',
      redlock_resource_template: TEMPLATE,
      redlock_once_outcome,
    });

  beforeEach(async () => void (telemetry = await Telemetry.start()));
  afterEach(async () => {
    await closeApps();
    await telemetry.stop();
    await stopAll();
  });

  it('counts them by what became of them, and measures the records', async () => {
    await start();
    const runs = runner();
    await Promise.all([runs.run(run('a')), runs.run(run('a'))]);
    await runs.run(run('a'));
    await expect(runs.run(run('b'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const series = await telemetry.scrape();
    expect(['ran', 'joined', 'replayed', 'reused', 'unkept'].map((outcome) => count(series, outcome))).toEqual([
      1,
      1,
      1,
      1,
      undefined,
    ]);
    const labels = { redlock_pool: 'default', redlock_resource_template: TEMPLATE };
    expect(valueOf(series, 'redlock_reply_size_count', labels)).toBe(1);
    expect(valueOf(series, 'redlock_reply_size_sum', labels)).toBeGreaterThan(20);
    expect(await telemetry.text()).not.toContain('example.org');
  });

  it('counts a reply that its store does not confirm', async () => {
    await start();
    const broken = Object.assign(memoryStore(), { settle: () => Promise.reject(new Error('the store is down')) });
    expect(await runner(broken).run(run('a'))).toEqual({ kind: 'own' });
    expect(count(await telemetry.scrape(), 'unkept')).toBe(1);
  });

  it('has a span with the lock in it, and with the outcome', async () => {
    await start();
    const runs = runner();
    await runs.run(run('a'));
    await runs.run(run('a'));
    await runs.run(run('b')).catch(() => undefined);
    const [ran, replayed, reused] = spans(`once ${TEMPLATE}`);
    expect(ran!.attributes).toEqual({
      'redlock.pool': 'default',
      'redlock.resource.template': TEMPLATE,
      'redlock.once.outcome': 'ran',
      'redlock.fencing_token': expect.any(Number),
    });
    expect(replayed!.attributes).toMatchObject({ 'redlock.once.outcome': 'replayed' });
    expect(reused!.attributes).toMatchObject({
      'redlock.once.outcome': 'reused',
      'error.type': 'IDEMPOTENCY_KEY_REUSED',
    });
    expect([ran, replayed, reused].map((span) => span!.status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.UNSET,
      SpanStatusCode.ERROR,
    ]);
    const locks = [...spans(`acquire ${TEMPLATE}`), ...spans(`hold ${TEMPLATE}`)];
    expect(locks.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      Array(2).fill(ran!.spanContext().spanId),
    );
  });

  it('links the span of a replay to that of the run, also for another replica and a call of the same process', async () => {
    await start();
    const store = memoryStore();
    const runs = runner(store);
    await Promise.all([runs.run(run('a')), runs.run(run('a'))]);
    await runner(store).run(run('a'));
    const [ran, joined, replayed] = ['ran', 'joined', 'replayed'].map((outcome) =>
      telemetry.spans.find(({ attributes }) => attributes['redlock.once.outcome'] === outcome),
    );
    const { traceId, spanId, traceFlags } = ran!.spanContext();
    const link = { context: { traceId, spanId, traceFlags, isRemote: true } };
    expect([ran, joined, replayed].map((span) => span!.links)).toMatchObject([[], [link], [link]]);
  });

  it('names what it may', async () => {
    await start({ resource: 'none' });
    await runner().run(run('a'));
    expect(spans('once')[0]!.attributes).not.toHaveProperty('redlock.resource.template');
    const series = await telemetry.scrape();
    expect(series.filter(({ labels }) => 'redlock_resource_template' in labels)).toEqual([]);
  });
});
