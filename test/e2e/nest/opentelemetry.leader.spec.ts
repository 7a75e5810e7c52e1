import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Leader, type Term } from 'nestjs-redlock';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { Telemetry } from '../../support/nest/telemetry.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { valueOf } from '../../support/scrape.js';

const BOT = { redlock_pool: 'default', redlock_role: 'bot' };

@Injectable()
class Bot {
  readonly terms: Term[] = [];

  @Leader('bot')
  run(term: Term): void {
    this.terms.push(term);
  }
}

describe('the metrics of leaders and permits', () => {
  let telemetry: Telemetry;
  let servers: RedisServer[];
  let app: TestApp;

  const measured = async (labels = BOT): Promise<(number | undefined)[]> => {
    const series = await telemetry.scrape();
    return [valueOf(series, 'redlock_leader', labels), valueOf(series, 'redlock_leader_terms_total', labels)];
  };
  const untilMeasured = (leads: number, terms: number): Promise<void> =>
    eventually(async () => expect(await measured()).toEqual([leads, terms]));
  const start = async (): Promise<void> => {
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider });
    app = await TestApp.start('Express', { imports: [poolOn(servers), module], providers: [Bot] });
  };

  beforeEach(async () => {
    [telemetry, servers] = await Promise.all([Telemetry.start(), startRedisServers(3)]);
  });
  afterEach(async () => {
    await closeApps();
    await telemetry.stop();
    await stopAll();
  });

  it('tell that a process is a candidate, leads, and leads again', async () => {
    const other = await TestApp.start('Express', { imports: [poolOn(servers)] });
    const holder = await other.redlock.acquire('leader:bot', { ttl: 60_000 });
    await start();
    await untilMeasured(0, 0);
    await holder.release();
    await untilMeasured(1, 1);
    await app.app.get(Bot).terms[0]!.resign();
    await untilMeasured(1, 2);
    const candidate = app.redlock.lead('other', () => undefined);
    const ofOther = { redlock_pool: 'default', redlock_role: 'other' };
    await eventually(async () => expect(await measured(ofOther)).toEqual([1, 1]));
    await candidate.close();
    expect(await measured(ofOther)).toEqual([0, 1]);
  });

  it('tell that a process leads no more when another has the role', async () => {
    await start();
    await untilMeasured(1, 1);
    const other = await TestApp.start('Express', { imports: [poolOn(servers)] });
    const waiting = other.redlock.acquire('leader:bot', { ttl: 60_000 });
    await other.log.until('contended', 'leader:bot');
    await app.app.get(Bot).terms[0]!.resign();
    const holder = await waiting;
    await untilMeasured(0, 1);
    await holder.release();
    await untilMeasured(1, 2);
  });

  it('do not count work that throws as a term of its own', async () => {
    await start();
    const candidate = app.redlock.lead('faulty', () => Promise.reject(new Error('on purpose')));
    const faulty = { redlock_pool: 'default', redlock_role: 'faulty' };
    await eventually(async () => expect(await measured(faulty)).toEqual([0, 1]));
    await candidate.close();
  });

  it('count a permit once, under its pool and its plain name', async () => {
    await start();
    await untilMeasured(1, 1);
    const heldNow = async (): Promise<number> =>
      valueOf(await telemetry.scrape(), 'redlock_held', { redlock_pool: 'default' })!;
    // The role is a lock, too.
    const before = await heldNow();
    const permits = await Promise.all([1, 2].map(() => app.redlock.acquire('export', { limit: 3, label: 'export' })));
    expect(await heldNow()).toBe(before + 2);
    await Promise.all(permits.map((permit) => permit.release()));
    expect(await heldNow()).toBe(before);
    const series = await telemetry.scrape();
    const labels = { redlock_resource_template: 'export', redlock_pool: 'default' };
    expect(valueOf(series, 'redlock_acquire_duration_count', { ...labels, redlock_outcome: 'acquired' })).toBe(2);
    expect(valueOf(series, 'redlock_hold_duration_count', { ...labels, redlock_end: 'released' })).toBe(2);
    expect(JSON.stringify(series)).not.toContain('export~');
  });
});
