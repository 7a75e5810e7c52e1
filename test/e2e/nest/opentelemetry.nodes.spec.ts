import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockTelemetryModule } from 'nestjs-redlock/opentelemetry';
import { eventually } from '../../support/eventually.js';
import { poolOn, type PoolOptions } from '../../support/nest/nodes.js';
import { Telemetry } from '../../support/nest/telemetry.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { valueOf, type Series } from '../../support/scrape.js';
import { vouchFor } from '../../support/vouch.js';

describe('the metrics of nodes', () => {
  let telemetry: Telemetry;
  let servers: RedisServer[];
  let app: TestApp;
  const start = async (pool?: PoolOptions): Promise<void> => {
    const { meterProvider, tracerProvider } = telemetry;
    const module = RedlockTelemetryModule.forRoot({ meterProvider, tracerProvider });
    app = await TestApp.start('Express', { imports: [poolOn(servers, pool), module] });
  };

  beforeEach(async () => {
    telemetry = await Telemetry.start();
    servers = await startRedisServers(3);
  });
  afterEach(async () => {
    await closeApps();
    await telemetry.stop();
    await stopAll();
  });

  it('tell how many more nodes may fail, and the state of each', async () => {
    await start();
    const [first] = servers;
    const node = { server_address: '127.0.0.1', server_port: `${first!.port}` };
    const state = (series: readonly Series[], name: string): number | undefined =>
      valueOf(series, 'redlock_node_state', { ...node, redlock_node_state: name });
    const before = await telemetry.scrape();
    expect(valueOf(before, 'redlock_quorum_margin', { redlock_pool: 'default' })).toBe(1);
    expect([state(before, 'voting'), state(before, 'down')]).toEqual([1, 0]);
    expect(valueOf(before, 'redlock_node_clock_offset', node)).toBe(0);
    await Promise.all(servers.slice(0, 2).map((server) => server.kill()));
    await app.redlock.acquire('a', { waitTimeout: 0, label: 'a' }).catch(() => undefined);
    const after = await telemetry.scrape();
    expect(valueOf(after, 'redlock_quorum_margin')).toBe(-1);
    expect([state(after, 'voting'), state(after, 'down')]).toEqual([0, 1]);
    expect(
      valueOf(after, 'redlock_acquire_duration_count', {
        redlock_resource_template: 'a',
        redlock_outcome: 'no_quorum',
      }),
    ).toBe(1);
  });

  it('tell for how long a node does not vote that was restarted', async () => {
    const maxTtl = 1_000_000;
    await Promise.all(servers.map(({ url }) => vouchFor(url, maxTtl, 'lock:')));
    await start({ restartQuarantine: true, maxTtl });
    await servers[2]!.restart();
    const node = { server_port: `${servers[2]!.port}` };
    await eventually(async () => {
      const series = await telemetry.scrape();
      expect(valueOf(series, 'redlock_node_state', { ...node, redlock_node_state: 'quarantined' })).toBe(1);
      expect(valueOf(series, 'redlock_node_quarantine', node)).toBeGreaterThan(900);
    });
  });

  it('tell how long each node takes to answer, and what went wrong', async () => {
    await start({ nodeTimeout: 200 });
    await app.redlock.withLock('a', () => undefined);
    await Promise.all(servers.slice(0, 2).map((server) => server.freeze()));
    await app.redlock.tryAcquire('b').catch(() => undefined);
    const node = { server_port: `${servers[0]!.port}` };
    await eventually(async () => {
      const series = await telemetry.scrape();
      const answers = (labels: Series['labels']) => valueOf(series, 'redlock_node_request_duration_count', labels);
      expect(answers({ server_port: `${servers[2]!.port}` })).toBeGreaterThanOrEqual(3);
      expect(answers({ ...node, error_type: 'timeout' })).toBeGreaterThanOrEqual(1);
    });
    await Promise.all(servers.slice(0, 2).map((server) => server.thaw()));
  });
});
