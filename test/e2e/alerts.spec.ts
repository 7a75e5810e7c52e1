import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DynamicModule, Injectable } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { Idempotency, RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { OnceCalls } from '../support/operations/once-calls.js';
import { ClockedServer } from '../support/clock-shim.js';
import { eventually } from '../support/eventually.js';
import { poolOn, type PoolOptions } from '../support/nest/nodes.js';
import { Telemetry } from '../support/nest/telemetry.js';
import { closeApps, TestApp } from '../support/nest/test-app.js';
import { alertRules, ALERTS } from '../support/operations/alert-rules.js';
import { endRecipe, scrapeRecipe, startRecipe } from '../support/operations/prom-client-recipe.js';
import { checkAlerts, promtool, type Target } from '../support/operations/promtool.js';
import { startRedisServers, stopAll, type RedisServer } from '../support/redis-server.js';
import { parseScrape, valueOf } from '../support/scrape.js';
import { vouchFor } from '../support/vouch.js';
import { describeWithClocks } from '../support/with-clocks.js';

const HOUR = 60;
/** The ways by which a process measures locks: each is a job of its own to Prometheus. */
const JOBS = ['opentelemetry', 'prom-client'] as const;
type Scrape = Readonly<Record<(typeof JOBS)[number], string>>;

@Injectable()
class Jobs {
  @WithLock('job:nightly-report', { onContended: 'skip' })
  async report(): Promise<void> {
    // Being called is all.
  }
}

/** One process for each way, which answers these scrapes for so many minutes. */
function targets(scrapes: readonly (readonly [number, Scrape | undefined])[], namespace = 'shop'): Target[] {
  return JOBS.map((job) => ({
    labels: { job, namespace, instance: `${namespace}:9464` },
    scrapes: scrapes.map(([minutes, scrape]) => [minutes, scrape?.[job]] as const),
  }));
}

function both(labels: Readonly<Record<string, string>>, namespace = 'shop'): Readonly<Record<string, string>>[] {
  return JOBS.map((job) => ({ job, namespace, ...labels }));
}

describe('the alerts of docs/operate, by what real processes answer to Prometheus', () => {
  let telemetry: Telemetry;
  let servers: RedisServer[];
  let app: TestApp;

  const start = async (nodes: number, options: PoolOptions = {}, more: DynamicModule[] = []): Promise<void> => {
    servers = await startRedisServers(nodes);
    await startOn(servers, options, more);
  };
  const startOn = async (
    on: readonly { url: string }[],
    options: PoolOptions = {},
    more: DynamicModule[] = [],
  ): Promise<void> => {
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider });
    app = await TestApp.start('Express', { imports: [poolOn(on, options), module, ...more], providers: [Jobs] });
    await startRecipe(app.redlock);
  };
  const scrape = async (): Promise<Scrape> => ({
    opentelemetry: await telemetry.text(),
    'prom-client': await scrapeRecipe(),
  });
  const end = async (): Promise<void> => {
    await endRecipe();
    await closeApps();
    await telemetry.stop();
    await stopAll();
  };
  /** Three calls wait for `ms` at the same time, and `meanwhile`. Then one call after another gets its lock, and each scrape has one more of them. */
  const waitFor = async (label: string, ms: number, meanwhile?: () => Promise<Scrape[]>): Promise<Scrape[]> => {
    const names = [0, 1, 2].map((index) => `${label}:${index}`);
    const holders = await Promise.all(names.map((name) => app.redlock.acquire(name, { ttl: 20_000 })));
    const waiting = names.map((name) => app.redlock.acquire(name, { label }));
    const [scrapes = []] = await Promise.all([meanwhile?.(), sleep(ms)]);
    for (const [index, holder] of holders.entries()) {
      await holder.release();
      await (await waiting[index]!).release();
      scrapes.push(await scrape());
    }
    return scrapes;
  };

  beforeEach(async () => void (telemetry = await Telemetry.start()));
  afterEach(end);

  it('can be read by Prometheus', async () => {
    expect(await promtool('check', 'rules', ALERTS)).toContain('12 rules found');
  });

  it('all keep the labels job and namespace, so that one application does not hide another', () => {
    for (const { alert, expr } of alertRules()) {
      const groupings = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, labels]) => labels);
      expect([alert, groupings.length > 0]).toEqual([alert, true]);
      for (const labels of groupings) expect(`${alert}: ${labels}`).toMatch(/\bjob, namespace\b/);
    }
  });

  it('tell that there is no quorum, and that there is no margin, but not of a pool of one node', async () => {
    await start(3);
    const margin = async (expected: number): Promise<Scrape> => {
      let text: Scrape | undefined;
      await eventually(async () => {
        text = await scrape();
        for (const job of JOBS) expect(valueOf(parseScrape(text[job]), 'redlock_quorum_margin')).toBe(expected);
      });
      return text!;
    };
    const healthy = await margin(1);
    await servers[0]!.kill();
    const atTheEdge = await margin(0);
    await servers[1]!.kill();
    const down = await margin(-1);
    await end();
    telemetry = await Telemetry.start();
    await start(1);
    const lone = await margin(0);
    const processes = [
      ...targets([
        [10, healthy],
        [10, atTheEdge],
        [10, down],
      ]),
      ...targets([[30, lone]], 'lone'),
    ];
    await checkAlerts(processes, [
      { at: 9, alert: 'RedlockNoMargin', firing: [] },
      { at: 18, alert: 'RedlockNoMargin', firing: both({ redlock_pool: 'default' }) },
      { at: 18, alert: 'RedlockNoQuorum', firing: [] },
      { at: 22, alert: 'RedlockNoQuorum', firing: both({ redlock_pool: 'default' }) },
      { at: 29, alert: 'RedlockNoMargin', firing: [] },
    ]);
  }, 60_000);

  it('tell of the first loss of a process, whether or not it was scraped before, and again after a restart', async () => {
    await start(3);
    const lock = await app.redlock.acquire('order:7', { label: 'order', ttl: 300 });
    const held = await scrape();
    await eventually(() => expect(lock.isValid).toBe(false));
    await eventually(async () => {
      const texts = Object.values(await scrape());
      for (const text of texts) expect(valueOf(parseScrape(text), 'redlock_lost_total')).toBe(1);
    });
    const lost = await scrape();
    const processes = [
      ...targets([
        [20, held],
        [40, lost],
      ]),
      ...targets(
        [
          [20, undefined],
          [40, lost],
        ],
        'late',
      ),
      // Back within the five minutes, and with as many losses as before.
      ...targets(
        [
          [30, lost],
          [1, undefined],
          [1, held],
          [20, lost],
        ],
        'restarted',
      ),
    ];
    const labels = { redlock_resource_template: 'order', redlock_loss_reason: 'ttl' };
    await checkAlerts(processes, [
      { at: 19, alert: 'RedlockLost', firing: [] },
      { at: 21, alert: 'RedlockLost', firing: [...both(labels), ...both(labels, 'late')] },
      { at: 28, alert: 'RedlockLost', firing: [] },
      { at: 34, alert: 'RedlockLost', firing: both(labels, 'restarted') },
      { at: 45, alert: 'RedlockLost', firing: [] },
    ]);
  }, 60_000);

  it('tell of locks that are waited for longer than the threshold, and of no others', async () => {
    await start(3);
    const scrapes = await waitFor('slow', 5_300, () => waitFor('patient', 3_000));
    const labels = { redlock_resource_template: 'slow', redlock_pool: 'default' };
    await checkAlerts(targets(scrapes.map((each) => [4, each] as const)), [
      { at: 11, alert: 'RedlockSlow', firing: [] },
      { at: 23, alert: 'RedlockSlow', firing: both(labels) },
    ]);
  }, 60_000);

  it('have no threshold of seconds between two bounds of the buckets', async () => {
    await start(1);
    await app.redlock.withLock('a', () => undefined);
    const slow = alertRules().find(({ alert }) => alert === 'RedlockSlow')!;
    const threshold = /> ([\d.]+)$/.exec(slow.expr)?.[1];
    for (const text of Object.values(await scrape())) {
      const buckets = parseScrape(text).filter(({ name }) => /^redlock_acquire_duration\w*_bucket$/.test(name));
      expect(buckets.map(({ labels }) => labels['le'])).toContain(threshold);
    }
  });

  it('tell of calls that are refused, but not of those that were to be skipped', async () => {
    await start(3);
    const holders = await Promise.all(['order:7', 'job:nightly-report'].map((each) => app.redlock.acquire(each)));
    const scrapes: [number, Scrape][] = [];
    for (let round = 0; round < 4; round += 1) {
      await app.redlock.tryAcquire('order:7', { label: 'order' });
      await app.redlock.withLock('order:8', () => undefined, { label: 'order' });
      await app.app.get(Jobs).report();
      scrapes.push([4, await scrape()]);
    }
    await Promise.all(holders.map((lock) => lock.release()));
    await checkAlerts(targets(scrapes), [
      { at: 3, alert: 'RedlockRefused', firing: [] },
      { at: 14, alert: 'RedlockRefused', firing: both({ redlock_resource_template: 'order' }) },
    ]);
  }, 60_000);

  it('tell of replies that are not kept, from the first one on', async () => {
    await start(3);
    const calls = new OnceCalls(app.redlock);
    await calls.run('kept');
    const kept = await scrape();
    await calls.lose('unkept');
    const unkept = await scrape();
    const labels = { job: 'opentelemetry', namespace: 'shop', redlock_resource_template: 'unkept' };
    const scrapes = [
      [10, kept],
      [20, unkept],
    ] as const;
    await checkAlerts(targets(scrapes), [
      { at: 9, alert: 'RedlockUnkept', firing: [] },
      { at: 11, alert: 'RedlockUnkept', firing: [labels] },
      { at: 25, alert: 'RedlockUnkept', firing: [] },
    ]);
  }, 60_000);

  it('tell of a node that misses replies for ten minutes, and not of one that missed a few', async () => {
    await start(3, {}, [RedlockIdempotencyModule.forRoot()]);
    const keep = async (key: string): Promise<Scrape> => {
      await app.app.get(Idempotency).once(key, async () => 'done');
      return scrape();
    };
    const thin = (text: Scrape): number | undefined =>
      valueOf(parseScrape(text.opentelemetry), 'redlock_reply_thin_total');
    const whole = await keep('whole');
    await servers[0]!.kill();
    const scrapes = [whole];
    for (let missed = 1; missed <= 5; missed += 1) {
      let text = await keep(`missed ${missed}`);
      await eventually(async () => expect(thin((text = await scrape()))).toBe(missed));
      scrapes.push(text);
    }
    const minutes = (count: number, each: number): (readonly [number, Scrape])[] =>
      scrapes.slice(0, count).map((text) => [each, text] as const);
    await checkAlerts(
      [...targets(minutes(6, 4)), ...targets([...minutes(2, 4), [20, scrapes[1]] as const], 'once')],
      [
        { at: 9, alert: 'RedlockReplyThin', firing: [] },
        {
          at: 19,
          alert: 'RedlockReplyThin',
          firing: [{ job: 'opentelemetry', namespace: 'shop', redlock_pool: 'default' }],
        },
      ],
    );
  }, 60_000);

  it('tell of keys that clients use for other requests', async () => {
    await start(3);
    const calls = new OnceCalls(app.redlock);
    const scrapes: [number, Scrape][] = [];
    for (let round = 0; round < 4; round += 1) {
      await calls.run('right');
      await calls.run('wrong');
      await calls.reuse('wrong');
      scrapes.push([4, await scrape()]);
    }
    const labels = { job: 'opentelemetry', namespace: 'shop', redlock_resource_template: 'wrong' };
    await checkAlerts(targets(scrapes), [
      { at: 3, alert: 'RedlockKeyReused', firing: [] },
      { at: 14, alert: 'RedlockKeyReused', firing: [labels] },
    ]);
  }, 60_000);

  it('tell of a node that stays in quarantine', async () => {
    const maxTtl = 1_000_000;
    servers = await startRedisServers(3);
    await Promise.all(servers.map(({ url }) => vouchFor(url, maxTtl, 'lock:')));
    await startOn(servers, { restartQuarantine: true, maxTtl });
    const healthy = await scrape();
    await servers[2]!.restart();
    const node = { server_port: `${servers[2]!.port}` };
    await eventually(async () => {
      const series = parseScrape(await telemetry.text());
      expect(valueOf(series, 'redlock_node_state', { ...node, redlock_node_state: 'quarantined' })).toBe(1);
    });
    const firing = [{ job: 'opentelemetry', namespace: 'shop', ...node }];
    const scrapes = [
      [5, healthy],
      [5, await scrape()],
    ] as const;
    await checkAlerts(targets(scrapes), [
      { at: 4, alert: 'RedlockNodeRestarting', firing: [] },
      { at: 8, alert: 'RedlockNodeRestarting', firing },
    ]);
  }, 60_000);

  it('tell of a job that no replica of an application runs in its period', async () => {
    await start(3);
    const job = app.app.get(Jobs);
    const idle = await scrape();
    const holder = await app.redlock.acquire('job:nightly-report');
    await job.report();
    const skipped = await scrape();
    await holder.release();
    await job.report();
    const once = await scrape();
    await job.report();
    const twice = await scrape();
    const day = 24 * HOUR;
    const processes = [
      // Each day on this replica, and then on none.
      ...targets([
        [day / 2, idle],
        [day, once],
        [2 * day, twice],
      ]),
      ...targets([[3.5 * day, skipped]], 'staging'),
      // Restarted each day: the counter of each process begins with its first run.
      ...targets(
        [
          [day / 4, once],
          [day / 2, idle],
          [day / 2, once],
          [day / 2, idle],
          [day / 2, once],
          [2 * day, idle],
        ],
        'restarted',
      ),
    ];
    const nowhere = (namespace: string): Readonly<Record<string, string>>[] => both({}, namespace);
    const alert = 'RedlockJobNowhere';
    const expectations = [
      { at: 20 * HOUR, alert, firing: [] },
      { at: 26 * HOUR, alert, firing: nowhere('staging') },
      { at: 41 * HOUR, alert, firing: nowhere('staging') },
      { at: 53 * HOUR, alert, firing: nowhere('staging') },
      { at: 83 * HOUR, alert, firing: [...nowhere('shop'), ...nowhere('staging'), ...nowhere('restarted')] },
    ];
    await checkAlerts(processes, expectations, 2.5);
  }, 120_000);
});

describeWithClocks('the alert RedlockClock, by what a real process answers to Prometheus', () => {
  it('tells of a clock that is off', async () => {
    const telemetry = await Telemetry.start();
    const clocked = await ClockedServer.start();
    const nodes = [...(await startRedisServers(2)), clocked];
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider });
    const app = await TestApp.start('Express', { imports: [poolOn(nodes), module] });
    const offset = async (ms: number): Promise<string> => {
      await clocked.step(ms);
      let text = '';
      await eventually(async () => {
        await app.redlock.withLock('a', () => undefined);
        text = await telemetry.text();
        const server_port = new URL(clocked.url).port;
        const found = valueOf(parseScrape(text), 'redlock_node_clock_offset', { server_port });
        expect(Math.abs(found! - ms / 1_000)).toBeLessThan(1);
      });
      return text;
    };
    const [right, wrong] = [await offset(0), await offset(9_000)];
    const labels = { job: 'shop', namespace: 'shop', server_port: new URL(clocked.url).port };
    const target = {
      labels: { job: 'shop', namespace: 'shop' },
      scrapes: [
        [5, right],
        [5, wrong],
      ] as const,
    };
    await closeApps();
    await telemetry.stop();
    await clocked.stop();
    await stopAll();
    await checkAlerts(
      [target],
      [
        { at: 4, alert: 'RedlockClock', firing: [] },
        { at: 8, alert: 'RedlockClock', firing: [labels] },
      ],
    );
  }, 60_000);
});
