import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Injectable, Post } from '@nestjs/common';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { RedlockTelemetryModule, type RedlockTelemetryOptions } from 'nestjs-redlock/opentelemetry';
import { Deferred } from '../../support/nest/deferred.js';
import { eventually } from '../../support/eventually.js';
import { poolOn, type PoolOptions } from '../../support/nest/nodes.js';
import { Telemetry } from '../../support/nest/telemetry.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { valueOf, type Series } from '../../support/scrape.js';

const TEMPLATE = 'user:<body.email>';

@Injectable()
class Jobs {
  readonly ended = new Deferred();

  @WithLock('job:<0>', { onContended: 'skip' })
  async report(_name: string): Promise<void> {
    await this.ended.promise;
  }

  @WithLock((name: string) => `shared:${name}`, { onContended: 'join' })
  async shared(_name: string): Promise<void> {
    await this.ended.promise;
  }

  @WithLock('address:<0>')
  async greet(address: string): Promise<string> {
    return address;
  }
}

@Controller('users')
class Users {
  @Post()
  @WithLock(TEMPLATE)
  async register(@Body() { email }: { email: string }): Promise<{ email: string }> {
    return { email };
  }
}

describe('the metrics of locks', () => {
  let telemetry: Telemetry;
  let servers: RedisServer[] = [];
  let app: TestApp;

  const start = async (options: RedlockTelemetryOptions = {}, pool: PoolOptions = {}): Promise<void> => {
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider, ...options });
    const imports = [servers.length > 0 ? poolOn(servers, pool) : RedlockModule.forRoot({ enabled: false }), module];
    app = await TestApp.start('Express', { imports, controllers: [Users], providers: [Jobs] });
  };
  const startOnNodes = async (options?: RedlockTelemetryOptions, pool?: PoolOptions): Promise<void> => {
    servers = await startRedisServers(3);
    await start(options, pool);
  };
  const count = (series: readonly Series[], labels: Series['labels']): number | undefined =>
    valueOf(series, 'redlock_acquire_duration_count', labels);
  const jobs = (): Jobs => app.app.get(Jobs);

  beforeEach(async () => void (telemetry = await Telemetry.start()));
  afterEach(async () => {
    await closeApps();
    await telemetry.stop();
    await stopAll();
    servers = [];
  });

  it('count calls of decorated methods and of the service by what became of them', async () => {
    await startOnNodes();
    expect(await app.post('users', { email: 'ann@example.org' })).toMatchObject({ status: 201 });
    const lock = await app.redlock.acquire('order:7', { label: 'order' });
    expect(await app.redlock.tryAcquire('order:7', { label: 'order' })).toBeNull();
    await lock.extend();
    const held = await telemetry.scrape();
    expect(valueOf(held, 'redlock_held', { redlock_pool: 'default' })).toBe(1);
    expect(valueOf(held, 'redlock_waiting', { redlock_pool: 'default' })).toBe(0);
    await lock.release();
    const series = await telemetry.scrape();
    const acquired = { redlock_outcome: 'acquired', redlock_path: 'free', redlock_pool: 'default' };
    expect(count(series, { redlock_resource_template: TEMPLATE, ...acquired })).toBe(1);
    expect(count(series, { redlock_resource_template: 'order', ...acquired })).toBe(1);
    expect(count(series, { redlock_resource_template: 'order', redlock_outcome: 'held' })).toBe(1);
    const released = { redlock_resource_template: 'order', redlock_end: 'released' };
    expect(valueOf(series, 'redlock_hold_duration_count', released)).toBe(1);
    expect(valueOf(series, 'redlock_extend_duration_count', { redlock_outcome: 'extended' })).toBe(1);
    expect(valueOf(series, 'redlock_held')).toBe(0);
  });

  it('have buckets in seconds, which tell a free lock from one that was waited for', async () => {
    await startOnNodes();
    await app.redlock.withLock('a', () => undefined);
    const series = await telemetry.scrape();
    const bounds = series
      .filter(({ name }) => name === 'redlock_acquire_duration_bucket')
      .map(({ labels }) => labels['le']);
    expect(bounds.slice(0, 3)).toEqual(['0.0005', '0.001', '0.0025']);
    expect(bounds.slice(-2)).toEqual(['30', '+Inf']);
    expect(valueOf(series, 'redlock_acquire_duration_sum')).toBeGreaterThan(0);
    expect(valueOf(series, 'redlock_acquire_duration_sum')).toBeLessThan(5);
  });

  it('count the calls that wait, skip or join', async () => {
    await startOnNodes();
    const lock = await app.redlock.acquire('order:7');
    const waiting = app.redlock.acquire('order:7', { label: 'order' });
    await eventually(async () => expect(valueOf(await telemetry.scrape(), 'redlock_waiting')).toBe(1));
    await lock.release();
    await (await waiting).release();
    const running = [jobs().report('nightly'), jobs().shared('x')];
    await eventually(async () => expect(valueOf(await telemetry.scrape(), 'redlock_held')).toBe(2));
    await expect(jobs().report('nightly')).resolves.toBeUndefined();
    const joined = jobs().shared('x');
    jobs().ended.resolve();
    await Promise.all([...running, joined]);
    const series = await telemetry.scrape();
    expect(count(series, { redlock_resource_template: 'job:<0>', redlock_outcome: 'skipped' })).toBe(1);
    expect(count(series, { redlock_resource_template: 'Jobs.shared', redlock_outcome: 'joined' })).toBe(1);
    expect(count(series, { redlock_outcome: 'held' })).toBeUndefined();
    expect(count(series, { redlock_resource_template: 'order', redlock_outcome: 'acquired' })).toBe(1);
  });

  it('tell why locks were lost', async () => {
    await startOnNodes();
    const lock = await app.redlock.acquire('order:7', { ttl: 300, label: 'order' });
    await eventually(() => expect(lock.isValid).toBe(false));
    await lock.release();
    const lost = { redlock_resource_template: 'order', redlock_loss_reason: 'ttl' };
    await eventually(async () => expect(valueOf(await telemetry.scrape(), 'redlock_lost_total', lost)).toBe(1));
  });

  it('have as many time series for ten thousand addresses as for one, and no address among them', async () => {
    await start();
    const greet = (index: number): Promise<string> => jobs().greet(`user.${index}@example.org`);
    const imperative = (index: number): Promise<void> =>
      app.redlock.withLock(`mail:user.${index}@example.org`, () => undefined, { label: 'mail' });
    await Promise.all([greet(0), imperative(0)]);
    const before = await telemetry.scrape();
    for (let index = 1; index < 10_000; index += 500) {
      const batch = Array.from({ length: 500 }, (_, offset) => index + offset);
      await Promise.all(batch.flatMap((each) => [greet(each), imperative(each)]));
    }
    const text = await telemetry.text();
    const after = await telemetry.scrape();
    expect(count(after, { redlock_resource_template: 'address:<0>' })).toBeGreaterThanOrEqual(10_000);
    expect(after.length).toBe(before.length);
    expect(text).not.toContain('example.org');
  }, 120_000);

  it('name no value of a resource also where spans do, and nothing at all where that is wanted', async () => {
    await start({ resource: 'value' });
    await jobs().greet('ann@example.org');
    expect(await telemetry.text()).not.toContain('ann@');
    await app.close();
    await start({ resource: 'none' });
    await jobs().greet('bob@example.org');
    const unnamed = (await telemetry.scrape()).filter(
      ({ labels }) => labels['redlock_resource_template'] === undefined,
    );
    expect(count(unnamed, { redlock_outcome: 'acquired' })).toBe(1);
  });

  it('end with the application', async () => {
    const counted = async (): Promise<Series[]> =>
      (await telemetry.scrape()).filter(({ name }) => /^redlock_.*_(count|total)$/.test(name));
    const useLock = async (): Promise<void> => {
      const lock = await app.redlock.acquire('order:7', { label: 'order' });
      await lock.extend();
      await lock.release();
    };
    await startOnNodes();
    await useLock();
    await app.close();
    const [before, spans] = [await counted(), telemetry.spans.length];
    const names = ['redlock_acquire_duration_count', 'redlock_extend_duration_count', 'redlock_hold_duration_count'];
    expect(before.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(spans).toBeGreaterThan(0);
    app = await TestApp.start('Express', { imports: [poolOn(servers)] });
    await useLock();
    expect(await counted()).toEqual(before);
    expect(telemetry.spans).toHaveLength(spans);
    expect(valueOf(await telemetry.scrape(), 'redlock_quorum_margin')).toBeUndefined();
  });
});
