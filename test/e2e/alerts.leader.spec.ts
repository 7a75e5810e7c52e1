import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { eventually } from '../support/eventually.js';
import { endAll } from '../support/nest/end-all.js';
import { poolOn } from '../support/nest/nodes.js';
import { Telemetry } from '../support/nest/telemetry.js';
import { TestApp } from '../support/nest/test-app.js';
import { checkAlerts, type Target } from '../support/operations/promtool.js';
import { startRedisServers } from '../support/redis-server.js';

describe('the alert RedlockNoLeader, by what a real process answers to Prometheus', () => {
  let telemetry: Telemetry;
  let app: TestApp;

  beforeEach(async () => {
    telemetry = await Telemetry.start();
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider });
    app = await TestApp.start('Express', { imports: [poolOn(await startRedisServers(3)), module] });
  });
  afterEach(async () => {
    await endAll();
    await telemetry.stop();
  });

  it('tells of a role that has candidates and no leader for a minute, by its pool', async () => {
    const holders = await Promise.all(['bot', 'outbox'].map((role) => app.redlock.acquire(`leader:${role}`)));
    const candidates = ['bot', 'outbox'].map((role) => app.redlock.lead(role, () => undefined));
    const waiting = await telemetry.text();
    await holders[1]!.release();
    await eventually(() => expect(candidates[1]!.isLeader).toBe(true));
    const outboxOnly = await telemetry.text();
    await holders[0]!.release();
    await eventually(() => expect(candidates[0]!.isLeader).toBe(true));
    const leading = await telemetry.text();
    const replica = (namespace: string, instance: string, scrapes: Target['scrapes']): Target => ({
      labels: { job: 'opentelemetry', namespace, instance },
      scrapes,
    });
    const none = { job: 'opentelemetry', namespace: 'shop', redlock_pool: 'default' };
    const processes = [
      // The leader of both roles is gone after ten minutes; the other replica takes over one of them.
      replica('shop', 'a', [
        [10, leading],
        [20, undefined],
      ]),
      replica('shop', 'b', [
        [10, waiting],
        [10, outboxOnly],
        [10, leading],
      ]),
      // A change of leaders that is seen late by one of two scrapes.
      replica('rolling', 'a', [
        [10, leading],
        [20, waiting],
      ]),
      replica('rolling', 'b', [
        [10.5, waiting],
        [19.5, leading],
      ]),
    ];
    const alert = 'RedlockNoLeader';
    await checkAlerts(processes, [
      { at: 9, alert, firing: [] },
      { at: 10.75, alert, firing: [] },
      { at: 12, alert, firing: [{ ...none, redlock_role: 'bot' }] },
      { at: 19, alert, firing: [{ ...none, redlock_role: 'bot' }] },
      { at: 22, alert, firing: [] },
    ]);
  }, 60_000);
});
