import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../.ci/free-port.mjs';
import { ConfigModule } from '@nestjs/config';
import { TelemetryModule } from '../../../sample-app/src/telemetry/telemetry.module.js';
import { poolOn } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { HOST } from '../../support/redis-server/ports.js';

describe('the metrics of the sample application', () => {
  const { env } = process;
  let nodes: RedisServer[];
  let port: number;

  const start = async (settings: NodeJS.ProcessEnv): Promise<TestApp> => {
    process.env = { ...env, ...settings };
    await ConfigModule.forRoot({ ignoreEnvFile: true });
    return TestApp.start('Express', { imports: [poolOn(nodes), TelemetryModule.forRoot()] });
  };
  const metrics = async (): Promise<string> => (await fetch(`http://${HOST}:${port}/metrics`)).text();

  beforeEach(async () => {
    port = await freePort(HOST);
    nodes = await startRedisServers(1);
  });
  afterEach(async () => {
    process.env = env;
    await closeApps();
    await stopAll();
  });

  it('are served on a port of their own until the application has shut down', async () => {
    const app = await start({ METRICS_PORT: `${port}` });
    await app.redlock.withLock('order:7', () => undefined, { label: 'order' });
    expect(await metrics()).toMatch(/redlock_acquire_duration_count\{.*redlock_resource_template="order"/);
    await closeApps();
    await expect(metrics()).rejects.toThrow('fetch failed');
  });

  it('are not there without METRICS_PORT', async () => {
    await start({ METRICS_PORT: '' });
    expect(await TelemetryModule.forRoot()).toEqual({ module: TelemetryModule });
  });
});
