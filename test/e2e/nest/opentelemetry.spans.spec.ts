import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Injectable, Post } from '@nestjs/common';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Redis } from 'ioredis';
import { WithLock } from 'nestjs-redlock';
import { RedlockTelemetryModule, type RedlockTelemetryOptions } from 'nestjs-redlock/opentelemetry';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { Telemetry } from '../../support/nest/telemetry.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll } from '../../support/redis-server.js';

@Injectable()
class Jobs {
  @WithLock('job:<0>', { onContended: 'skip' })
  async report(_name: string): Promise<string> {
    return 'done';
  }
}

@Controller('users')
class Users {
  @Post()
  @WithLock('user:<body.email>')
  async register(@Body() { email }: { email: string }): Promise<{ email: string }> {
    return { email };
  }
}

describe('the spans of locks', () => {
  let telemetry: Telemetry;
  let app: TestApp;
  const start = async (options: RedlockTelemetryOptions = {}): Promise<void> => {
    const servers = await startRedisServers(3);
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider, ...options });
    const imports = [poolOn(servers), module];
    app = await TestApp.start('Express', { imports, controllers: [Users], providers: [Jobs] });
  };
  /** The span with this name, once it has ended. */
  const span = async (name: string): Promise<ReadableSpan> => {
    let found: ReadableSpan | undefined;
    await eventually(() => {
      found = telemetry.spans.find((one) => one.name === name);
      expect(found?.name).toBe(name);
    });
    return found!;
  };
  const eventsOf = ({ events }: ReadableSpan): string[] => events.map(({ name }) => name);

  beforeEach(async () => void (telemetry = await Telemetry.start()));
  afterEach(async () => {
    jest.restoreAllMocks();
    await closeApps();
    await telemetry.stop();
    await stopAll();
  });

  it('tell of a call and of its lock, under the template, and name no address', async () => {
    await start();
    await app.post('users', { email: 'ann@example.org' });
    const [lock, hold] = await Promise.all([span('acquire user:<body.email>'), span('hold user:<body.email>')]);
    expect(hold.attributes).toEqual({
      'redlock.pool': 'default',
      'redlock.resource.template': 'user:<body.email>',
      'redlock.fencing_token': lock.attributes['redlock.fencing_token'],
    });
    expect(lock.kind).toBe(SpanKind.INTERNAL);
    expect(lock.status.code).toBe(SpanStatusCode.UNSET);
    expect(lock.attributes).toEqual({
      'redlock.pool': 'default',
      'redlock.resource.template': 'user:<body.email>',
      'redlock.wait.path': 'free',
      'redlock.attempts': 1,
      'redlock.fencing_token': expect.any(Number),
    });
    const told = [lock, hold].map(({ name, attributes, events }) => [name, attributes, events]);
    expect(JSON.stringify(told)).not.toContain('example.org');
  });

  it('tell of a wait, a hand-off and an extension, in order', async () => {
    await start();
    const first = await app.redlock.acquire('order:7');
    const waiting = app.redlock.acquire('order:7', { label: 'order' });
    await app.log.until('contended');
    await first.release();
    const second = await waiting;
    await second.extend();
    await second.release();
    const order = await span('acquire order');
    expect(eventsOf(order)).toEqual(['contended', 'hand-off']);
    expect((await span('extend order')).attributes['redlock.validity']).toBeGreaterThan(0);
    expect(order.attributes).toMatchObject({ 'redlock.wait.path': expect.stringMatching(/^(hand-off|local)$/) });
    expect(await span('hold')).toMatchObject({ attributes: { 'redlock.pool': 'default' } });
  });

  it('tell of a loss, with the reason', async () => {
    await start();
    const lock = await app.redlock.acquire('order:7', { ttl: 300, label: 'order' });
    const lost = await span('hold order');
    await lock.release();
    expect(eventsOf(lost)).toEqual(['lost']);
    expect(lost.events[0]!.attributes).toEqual({ 'redlock.loss.reason': 'ttl' });
    expect(lost.status.code).toBe(SpanStatusCode.ERROR);
    expect(lost.attributes).toMatchObject({ 'error.type': 'LOCK_LOST' });
  });

  it('end with an error type where there was no lock, but not where that was planned', async () => {
    await start();
    const lock = await app.redlock.acquire('job:nightly');
    await expect(app.redlock.acquire('job:nightly', { waitTimeout: 0, label: 'job' })).rejects.toThrow();
    await expect(app.app.get(Jobs).report('nightly')).resolves.toBeUndefined();
    await lock.release();
    const [refused, skipped] = await Promise.all([span('acquire job'), span('acquire job:<0>')]);
    expect(refused).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'RESOURCE_LOCKED' },
    });
    expect(skipped.status.code).toBe(SpanStatusCode.UNSET);
    expect(skipped.attributes).not.toHaveProperty('error.type');
  });

  it('are children of the span around the call, and parents of what is sent to the nodes', async () => {
    await start();
    const parents = new Set<string | undefined>();
    const { sendCommand } = Redis.prototype;
    jest.spyOn(Redis.prototype, 'sendCommand').mockImplementation(function (this: Redis, ...args) {
      parents.add(trace.getActiveSpan()?.spanContext().spanId);
      return sendCommand.apply(this, args);
    });
    const tracer = telemetry.tracerProvider.getTracer('test');
    const lock = await tracer.startActiveSpan('request', async (request) => {
      const taken = await app.redlock.acquire('order:7', { label: 'order' });
      request.end();
      return taken;
    });
    const sent = [...parents];
    await lock.release();
    const [request, order] = [await span('request'), await span('acquire order')];
    expect(order.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(sent).toEqual([order.spanContext().spanId]);
  });

  it('name the resource only where that is wanted, and not even the template where it is not', async () => {
    await start({ resource: 'value' });
    await app.redlock.withLock('user:ann@example.org', () => undefined, { label: 'user' });
    expect((await span('hold user')).attributes['redlock.resource']).toEqual(['user:ann@example.org']);
    await app.close();
    await start({ resource: 'none' });
    await app.redlock.withLock('user:ann@example.org', () => undefined, { label: 'user' });
    expect((await span('hold')).attributes).not.toHaveProperty('redlock.resource.template');
  });
});
