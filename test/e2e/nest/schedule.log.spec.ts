import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, Injectable } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { WithLock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { poolOn } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

const ANN = 'user:ann@example.com';

@Injectable()
class Jobs {
  // Never by itself while a test runs: the tests fire it.
  @Cron('0 0 1 1 *', { name: 'job' })
  @WithLock(ANN, { onContended: 'reject' })
  async run(): Promise<void> {}
}

describe('a scheduled method that cannot have its lock', () => {
  let servers: RedisServer[];
  /** What the logger of Nest writes, each time that it does. */
  let written: string[];

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });

  afterEach(async () => {
    await closeApps();
    jest.restoreAllMocks();
  });

  afterAll(() => stopAll());

  const start = async (json: boolean): Promise<TestApp> => {
    const metadata = { imports: [ScheduleModule.forRoot(), poolOn(servers)], providers: [Jobs] };
    const app = await TestApp.start('Express', metadata, (nest) =>
      nest.useLogger(new ConsoleLogger({ json, colors: false, logLevels: ['error'] })),
    );
    written = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    return app;
  };
  const lineOf = async ({ app }: TestApp): Promise<string> => {
    await app.get(SchedulerRegistry).getCronJob('job').fireOnTick();
    await eventually(() => expect(written).not.toEqual([]));
    expect(written).toHaveLength(1);
    expect(written[0]).not.toMatch(/ann@/);
    return written[0]!;
  };

  it.each([false, true])('has one short line in the log when another caller holds the lock; JSON: %s', async (json) => {
    const app = await start(json);
    const lock = await app.redlock.acquire(ANN);
    const line = await lineOf(app);
    const words = json
      ? String.raw`\"user:*\" is locked`
      : 'ResourceLockedError: "user:*" is locked by another holder\n';
    expect(line).toContain(words);
    // What is written for machines has the whole stack in a field of its own.
    if (!json) expect(line).not.toMatch(/[\\/]lib[\\/]|node:internal/);
    expect(line.trim().split('\n')).toHaveLength(1);
    await lock.release();
  });

  it('has the reason in it once where nodes refuse', async () => {
    const app = await start(false);
    for (const { url } of servers) await withRedis(url, (redis) => redis.config('SET', 'maxmemory', '1'));
    await app.app.get(SchedulerRegistry).getCronJob('job').fireOnTick();
    await eventually(() => expect(written.join('')).toContain('QuorumNotReachedError'));
    const failures = written.filter((line) => line.includes('QuorumNotReachedError'));
    expect(failures).toHaveLength(1);
    // Of each node, unless all was decided before it answered; and not again in a list of nodes.
    expect([2, 3]).toContain(failures[0]!.match(/OOM/g)!.length);
    expect(failures[0]).not.toMatch(/outcome|detail/);
    for (const { url } of servers) await withRedis(url, (redis) => redis.config('SET', 'maxmemory', '0'));
  });
});
