import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { Observable, of } from 'rxjs';
import { poolOn } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

const REJECT = { onContended: 'reject' } as const;

@Injectable()
class Reports {
  @WithLock('report', REJECT)
  async write(): Promise<string> {
    return 'written';
  }
}

@Controller()
class ReportsController {
  constructor(@Inject(Reports) private readonly reports: Reports) {}

  @Get('value')
  @WithLock('report', REJECT)
  value(): string {
    return 'written';
  }

  @Get('by-function')
  @WithLock(() => 'report', REJECT)
  async byFunction(): Promise<string> {
    return 'written';
  }

  @Get('observable')
  @WithLock('report', REJECT)
  observable(): Observable<string> {
    return of('written');
  }

  @Get('observable-by-function')
  @WithLock(() => 'report', REJECT)
  observableByFunction(): Observable<string> {
    return of('written');
  }

  @Get('failing')
  @WithLock('report', REJECT)
  failing(): never {
    throw new NotFoundException();
  }

  @Get('provider')
  provider(): Promise<string> {
    return this.reports.write();
  }
}

describe.each(PLATFORMS)('the next request of a client of %s', (platform) => {
  let servers: RedisServer[];
  let apps: TestApp[];

  beforeAll(async () => {
    servers = await startRedisServers(3);
    apps = await TestApp.pair(platform, () => ({
      imports: [poolOn(servers)],
      controllers: [ReportsController],
      providers: [Reports],
    }));
  });

  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it.each([
    ['value', 200],
    ['by-function', 200],
    ['observable', 200],
    ['observable-by-function', 200],
    ['failing', 404],
    ['provider', 200],
  ])('finds the lock free, whichever replica it comes to: %s', async (path, status) => {
    const statuses = [];
    for (let index = 0; index < 20; index += 1) statuses.push((await apps[index % 3 === 0 ? 0 : 1]!.get(path)).status);
    expect(statuses).toEqual(Array(20).fill(status));
  });
});
