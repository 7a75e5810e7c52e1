import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { RedlockService, WithLock } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { faultTable } from '../support/faults/fault-table.js';
import { poolOn } from '../support/nest/nodes.js';
import { Telemetry } from '../support/nest/telemetry.js';
import { closeApps, TestApp } from '../support/nest/test-app.js';
import { alertRules } from '../support/operations/alert-rules.js';
import { OnceCalls } from '../support/operations/once-calls.js';
import { selectionsOf } from '../support/operations/promql.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';
import { valueOf, type Series } from '../support/scrape.js';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

const dashboard = JSON.parse(readFileSync('docs/operate/dashboard.json', 'utf8')) as Dashboard;

@Injectable()
class Jobs {
  @WithLock('job:nightly-report', { onContended: 'skip' })
  async report(): Promise<string> {
    return 'done';
  }
}

/** Lets everything happen once that the files are about. */
async function happen(redlock: RedlockService, jobs: Jobs): Promise<void> {
  await jobs.report();
  const lock = await redlock.acquire('order:7', { label: 'order', ttl: 500 });
  await lock.extend();
  await redlock.tryAcquire('order:7', { label: 'order' });
  await eventually(() => expect(lock.isValid).toBe(false));
  await new OnceCalls(redlock).run('order');
  const candidate = redlock.lead('bot', () => undefined);
  await eventually(() => expect(candidate.isLeader).toBe(true));
}

describe('the files in docs/operate', () => {
  let series: readonly Series[];

  beforeAll(async () => {
    const telemetry = await Telemetry.start();
    const servers = await startRedisServers(3);
    const { meterProvider } = telemetry;
    const imports = [poolOn(servers, { nodeTimeout: 300 }), RedlockTelemetryModule.forRoot({ meterProvider })];
    const { app } = await TestApp.start('Express', { imports, providers: [Jobs] });
    await happen(app.get(RedlockService), app.get(Jobs));
    const frozen = servers.slice(0, 2);
    await Promise.all(frozen.map((server) => server.freeze()));
    await app
      .get(RedlockService)
      .tryAcquire('order:8', { label: 'order' })
      .catch(() => undefined);
    await eventually(async () => {
      series = await telemetry.scrape();
      expect(valueOf(series, 'redlock_node_request_duration_count', { error_type: 'timeout' })).toBeGreaterThan(0);
    });
    await Promise.all(frozen.map((server) => server.thaw()));
    await closeApps();
    await telemetry.stop();
    await stopAll();
  }, 60_000);
  afterAll(() => stopAll());

  /** What an expression selects and a real scrape does not have. */
  const missing = (expression: string): string[] =>
    selectionsOf(expression).flatMap(({ name, labels }) => {
      const named = series.filter((one) => name.test(one.name));
      if (named.length === 0) return [name.source];
      // Prometheus adds the labels of what it scrapes.
      return labels
        .filter((label) => !['job', 'namespace', 'instance'].includes(label))
        .filter((label) => !named.some((one) => label in one.labels))
        .map((label) => `${name.source} ${label}`);
    });

  it('have alerts that read metrics and labels that there are', () => {
    expect(alertRules().map(({ alert }) => alert)).toEqual([
      'RedlockNoQuorum',
      'RedlockNoMargin',
      'RedlockLost',
      'RedlockSlow',
      'RedlockRefused',
      'RedlockUnkept',
      'RedlockReplyThin',
      'RedlockKeyReused',
      'RedlockNodeRestarting',
      'RedlockClock',
      'RedlockJobNowhere',
      'RedlockNoLeader',
    ]);
    expect(alertRules().flatMap(({ expr }) => missing(expr))).toEqual([]);
    expect(alertRules().every(({ expr }) => selectionsOf(expr).length > 0)).toBe(true);
  });

  it('have alerts whose texts name labels of their expressions', () => {
    for (const { expr, annotations } of alertRules()) {
      const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      for (const label of named) expect(expr).toContain(label);
    }
  });

  it('have a dashboard that reads metrics and labels that there are', () => {
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(12);
    expect(expressions.flatMap(missing)).toEqual([]);
    const [, pools] = dashboard.templating.list;
    expect(pools!.query).toBe('label_values(redlock_quorum_margin, redlock_pool)');
    expect(missing('redlock_quorum_margin{redlock_pool="default"}')).toEqual([]);
  });

  it('are all that the metrics have to show', () => {
    const shown = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => selectionsOf(expr)));
    const names = new Set(series.map(({ name }) => name).filter((name) => name.startsWith('redlock_')));
    const unseen = [...names].filter((name) => !shown.some((selection) => selection.name.test(name)));
    expect(unseen.filter((name) => !/_(bucket|sum|count)$/.test(name))).toEqual([]);
  });

  it('have a page of faults that names metrics and alerts that there are', () => {
    const named = new Set(faultTable().flatMap(({ metrics }) => metrics));
    const alerts = alertRules().map(({ alert }) => alert);
    // The exporter of this test serves durations without their unit, and histograms as several series.
    const isThere = (name: string): boolean =>
      alerts.includes(name) ||
      series.some((one) => one.name.replace(/_(bucket|sum|count)$/, '') === name.replace(/_seconds$/, ''));
    expect([...named].filter((name) => !isThere(name))).toEqual([]);
  });

  it('would be found out if they named what there is not', () => {
    expect(missing('sum by (redlock_pol) (redlock_quorum_margin)')).toEqual([
      '^(?:redlock_quorum_margin)$ redlock_pol',
    ]);
    expect(missing('rate({__name__=~"redlock_aquire_duration_count"}[5m])')).toEqual([
      '^(?:redlock_aquire_duration_count)$',
    ]);
    expect(missing('redlock_lost{redlock_reason="ttl"}')).toEqual(['^(?:redlock_lost)$']);
  });
});
