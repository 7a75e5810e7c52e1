import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { RedlockModule, RedlockService, WithLock } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { send } from '../support/nest/http-client.js';
import { poolOn } from '../support/nest/nodes.js';
import { closeApps, TestApp } from '../support/nest/test-app.js';
import { endRecipe, scrapeRecipe, startRecipe } from '../support/operations/prom-client-recipe.js';
import { PastedCode } from '../support/pasted-code.js';
import { codeBlocks } from '../support/readme.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';
import { parseScrape, valueOf } from '../support/scrape.js';

const PAGE = readFileSync('docs/operate/monitor.md', 'utf8');
const BLOCKS = codeBlocks(PAGE);

@Injectable()
class Users {
  @WithLock('user:<0>')
  async greet(email: string): Promise<string> {
    return email;
  }
}

describe('docs/operate/monitor.md', () => {
  let app: INestApplicationContext | undefined;
  afterEach(async () => {
    await endRecipe();
    await app?.close();
    await closeApps();
    app = undefined;
    await stopAll();
  });

  const start = async (): Promise<RedlockService> => {
    const nodes = (await startRedisServers(3)).map(({ url }) => url);
    @Module({
      imports: [RedlockModule.forRoot({ nodes, restartQuarantine: false, isGlobal: true })],
      providers: [Users],
    })
    class AppModule {}
    app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
    return app.get(RedlockService);
  };
  it('has the code that is run here', () => {
    expect(BLOCKS.map(({ file }) => file)).toEqual(['health.module.ts', 'telemetry.module.ts', 'redlock-metrics.ts']);
  }, 120_000);

  it('has a health check that is down when too few nodes vote', async () => {
    const servers = await startRedisServers(3);
    const pasted = await PastedCode.write(BLOCKS.filter(({ file }) => file === 'health.module.ts'));
    const { HealthModule } = await pasted.run<{ HealthModule: Type }>('health.module.ts');
    const { url } = await TestApp.start('Express', { imports: [poolOn(servers, { nodeTimeout: 300 }), HealthModule] });
    const untilAnswered = (status: number, body: object): Promise<void> =>
      eventually(async () => expect(await send(`${url}/health/ready`)).toMatchObject({ status, body }));
    await untilAnswered(200, { status: 'ok', info: { locks: { status: 'up', quorum: 2, votes: 3, margin: 1 } } });
    await Promise.all(servers.slice(1).map((server) => server.kill()));
    await untilAnswered(503, {
      status: 'error',
      error: { locks: { status: 'down', quorum: 2, votes: 1, margin: -1 } },
    });
  });

  it('has a recipe for prom-client that counts locks, and names no address', async () => {
    const redlock = await start();
    await startRecipe(redlock);
    await app!.get(Users).greet('ann@example.org');
    const lock = await redlock.acquire('order:7', { label: 'order', ttl: 300 });
    await expect(redlock.tryAcquire('order:7', { label: 'order' })).resolves.toBeNull();
    const pool = { redlock_pool: 'default' };
    expect(valueOf(parseScrape(await scrapeRecipe()), 'redlock_held', pool)).toBe(1);
    await eventually(() => expect(lock.signal.aborted).toBe(true));
    const text = await scrapeRecipe();
    const series = parseScrape(text);
    const count = (template: string, redlock_outcome: string) =>
      valueOf(series, 'redlock_acquire_duration_seconds_count', {
        redlock_resource_template: template,
        redlock_outcome,
      });
    expect([count('user:<0>', 'acquired'), count('order', 'acquired'), count('order', 'held')]).toEqual([1, 1, 1]);
    const released = { redlock_resource_template: 'user:<0>', redlock_end: 'released', ...pool };
    expect(valueOf(series, 'redlock_hold_duration_seconds_count', released)).toBe(1);
    expect(
      valueOf(series, 'redlock_lost_total', { redlock_resource_template: 'order', redlock_loss_reason: 'ttl' }),
    ).toBe(1);
    // Each scrape asks the nodes, and one that is busy may answer too late.
    await eventually(async () =>
      expect(valueOf(parseScrape(await scrapeRecipe()), 'redlock_quorum_margin', pool)).toBe(1),
    );
    expect([valueOf(series, 'redlock_held', pool), valueOf(series, 'redlock_waiting', pool)]).toEqual([0, 0]);
    expect(text).not.toContain('example.org');
  });
});
