import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Inject, Injectable, Post } from '@nestjs/common';
import { InjectRedlock, RedlockModule, RedlockService, WithLock, type RedlockModuleOptions } from 'nestjs-redlock';
import { untilFree } from '../../support/nest/nodes.js';
import { Owned, provideOwned } from '../../support/nest/owned.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

let servers: RedisServer[];

beforeAll(async () => {
  servers = await startRedisServers(6);
});

afterEach(closeApps);
afterAll(() => stopAll());

describe('several pools in one application', () => {
  @Injectable()
  class Reports {
    constructor(
      @InjectRedlock() readonly main: RedlockService,
      @InjectRedlock('reports') readonly reports: RedlockService,
      @Inject(Owned) readonly owned: Owned,
    ) {}

    @WithLock('report', { name: 'reports' })
    async write(): Promise<boolean[]> {
      return this.owned.by('report');
    }

    @WithLock('report')
    async both(): Promise<boolean[]> {
      return this.write();
    }
  }

  @Controller()
  class ReportsController {
    constructor(@Inject(Owned) private readonly owned: Owned) {}

    @Post('main')
    @WithLock('report')
    main(): Promise<boolean[]> {
      return this.owned.by('report');
    }

    @Post('reports')
    @WithLock('report', { name: 'reports' })
    reports(): Promise<boolean[]> {
      return this.owned.by('report');
    }

    @WithLock(() => 'report', { name: 'reports', onContended: 'reject' })
    @Post('by-function')
    byFunction(): Promise<boolean[]> {
      return this.owned.by('report');
    }
  }

  const urls = (from: number, to: number): string[] => servers.slice(from, to).map(({ url }) => url);
  const [MAIN, REPORTS] = [
    [true, false],
    [false, true],
  ];

  const start = async (): Promise<TestApp> => {
    const main = RedlockModule.forRoot({ nodes: urls(0, 3), nodeTimeout: 3_000, restartQuarantine: false });
    const useFactory = async (): Promise<RedlockModuleOptions> => ({
      nodes: urls(3, 6),
      nodeTimeout: 3_000,
      restartQuarantine: false,
    });
    const reports = RedlockModule.forRootAsync({ name: 'reports', useFactory });
    return TestApp.start('Express', {
      imports: [provideOwned(servers.slice(0, 3), servers.slice(3)), main, reports],
      controllers: [ReportsController],
      providers: [Reports],
    });
  };

  it('are injected by name', async () => {
    const { main, reports, owned } = (await start()).app.get(Reports);
    const lock = await reports.acquire('report');
    expect(await owned.by('report')).toEqual(REPORTS);
    const other = await main.acquire('report');
    expect(await owned.by('report')).toEqual([true, true]);
    expect(
      [(await main.status()).nodes, (await reports.status()).nodes].map((each) => each.map(({ node }) => node)),
    ).toEqual([urls(0, 3), urls(3, 6)]);
    await Promise.all([lock.release(), other.release()]);
  });

  it.each([
    ['main', MAIN],
    ['reports', REPORTS],
    ['by-function', REPORTS],
  ])('lock handlers, each on its own nodes: %s', async (path, owned) => {
    const app = await start();
    expect(await app.post(path)).toMatchObject({ status: 201, body: owned });
    await untilFree(servers);
  });

  it('lock providers, each on its own nodes', async () => {
    const app = await start();
    await expect(app.app.get(Reports).write()).resolves.toEqual(REPORTS);
    await untilFree(servers);
  });

  it('do not take a lock of one for a lock of the other', async () => {
    const app = await start();
    await expect(app.app.get(Reports).both()).resolves.toEqual([true, true]);
    await untilFree(servers);
  });

  it('are contended on their own', async () => {
    const app = await start();
    const lock = await app.app.get(Reports).reports.acquire('report');
    expect((await app.post('by-function')).status).toBe(409);
    expect((await app.post('main')).status).toBe(201);
    await lock.release();
  });
});
