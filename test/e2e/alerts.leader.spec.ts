import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { eventually } from '../support/eventually.js';
import { endAll } from '../support/nest/end-all.js';
import { poolOn } from '../support/nest/nodes.js';
import { Telemetry } from '../support/nest/telemetry.js';
import { TestApp } from '../support/nest/test-app.js';
import { endRecipe, scrapeRecipe, startRecipe } from '../support/operations/prom-client-recipe.js';
import { checkAlerts, type Target } from '../support/operations/promtool.js';
import { startRedisServers } from '../support/redis-server.js';

interface Scrape {
  readonly opentelemetry: string;
  readonly 'prom-client': string;
}

/** A replica that answers these scrapes for so many minutes, in each of the two ways. */
function replica(namespace: string, instance: string, scrapes: readonly (readonly [number, Scrape?])[]): Target[] {
  return (['opentelemetry', 'prom-client'] as const).map((job) => ({
    labels: { job, namespace, instance },
    scrapes: scrapes.map(([minutes, scrape]) => [minutes, scrape?.[job]] as const),
  }));
}

describe('the alert RedlockNoLeader, by what a real process answers to Prometheus', () => {
  let telemetry: Telemetry;
  let app: TestApp;

  beforeEach(async () => {
    telemetry = await Telemetry.start();
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider });
    app = await TestApp.start('Express', { imports: [poolOn(await startRedisServers(3)), module] });
    await startRecipe(app.redlock);
  });
  afterEach(async () => {
    await endRecipe();
    await endAll();
    await telemetry.stop();
  });

  const scrape = async (): Promise<Scrape> => ({
    opentelemetry: await telemetry.text(),
    'prom-client': await scrapeRecipe(),
  });

  it('tells of a role that has candidates and no leader for a minute, by its pool', async () => {
    const holders = await Promise.all(['bot', 'outbox'].map((role) => app.redlock.acquire(`leader:${role}`)));
    const candidates = ['bot', 'outbox'].map((role) => app.redlock.lead(role, () => undefined));
    const waiting = await scrape();
    await holders[1]!.release();
    await eventually(() => expect(candidates[1]!.isLeader).toBe(true));
    const outboxOnly = await scrape();
    await holders[0]!.release();
    await eventually(() => expect(candidates[0]!.isLeader).toBe(true));
    const leading = await scrape();
    await Promise.all(candidates.map((candidate) => candidate.close()));
    const closed = await scrape();
    const none = (job: string, redlock_role: string, namespace = 'shop') => ({
      job,
      namespace,
      redlock_pool: 'default',
      redlock_role,
    });
    const bots = [none('opentelemetry', 'bot'), none('prom-client', 'bot')];
    // OpenTelemetry goes on showing the last value of a closed candidate.
    const ofClosed = [none('opentelemetry', 'bot', 'closed'), none('opentelemetry', 'outbox', 'closed')];
    const processes = [
      // The leader of both roles is gone after ten minutes; the other replica takes over one of them.
      ...replica('shop', 'a', [[10, leading], [20]]),
      ...replica('shop', 'b', [
        [10, waiting],
        [10, outboxOnly],
        [10, leading],
      ]),
      // A change of leaders that is seen late by one of two scrapes.
      ...replica('rolling', 'a', [
        [10, leading],
        [20, waiting],
      ]),
      ...replica('rolling', 'b', [
        [10.5, waiting],
        [19.5, leading],
      ]),
      ...replica('closed', 'a', [
        [20, leading],
        [10, closed],
      ]),
    ];
    const alert = 'RedlockNoLeader';
    await checkAlerts(processes, [
      { at: 9, alert, firing: [] },
      { at: 10.75, alert, firing: [] },
      { at: 12, alert, firing: bots },
      { at: 19, alert, firing: bots },
      { at: 20.75, alert, firing: [] },
      { at: 22, alert, firing: ofClosed },
    ]);
  }, 60_000);
});
