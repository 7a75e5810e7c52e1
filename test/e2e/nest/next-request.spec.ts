import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { Observable, of } from 'rxjs';
import { startFaultProxy } from '../../support/fault-proxy.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, poolOn } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';

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
  constructor(
    @Inject(Reports) private readonly reports: Reports,
    @Inject(Door) private readonly door: Door,
  ) {}

  @Get('value')
  @WithLock('report', REJECT)
  async value(): Promise<string> {
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
  async failing(): Promise<never> {
    await this.door.pass();
    throw new NotFoundException();
  }

  @Get('slow')
  @WithLock('report', REJECT)
  slow(): Promise<void> {
    return this.door.pass();
  }

  @Get('slow-by-function')
  @WithLock(() => 'report', REJECT)
  slowByFunction(): Promise<void> {
    return this.door.pass();
  }

  @Get('provider')
  provider(): Promise<string> {
    return this.reports.write();
  }
}

describe.each(PLATFORMS)('the next request of a client of %s', (platform) => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start(platform, () => ({ controllers: [ReportsController], providers: [Reports] }));
  });

  afterAll(endAll);

  it.each([
    ['value', 200],
    ['by-function', 200],
    ['observable', 200],
    ['observable-by-function', 200],
    ['failing', 404],
    ['provider', 200],
  ])('finds the lock free, whichever replica it comes to: %s', async (path, status) => {
    const statuses = [];
    for (let index = 0; index < 20; index += 1)
      statuses.push((await replicas[index % 3 === 0 ? 'one' : 'two'].get(path)).status);
    expect(statuses).toEqual(Array(20).fill(status));
  });

  it('is not invited before the release of the first one has arrived', async () => {
    const { door, servers } = replicas;
    const proxies = await Promise.all(servers.map((server) => startFaultProxy(server)));
    const slow = await TestApp.start(platform, {
      imports: [poolOn(proxies)],
      controllers: [ReportsController],
      providers: [Reports, { provide: Door, useValue: door }],
    });
    for (const path of ['slow', 'slow-by-function', 'failing']) {
      door.shut();
      const reply = slow.get(path);
      await door.untilVisits(1);
      // From here on, whatever is sent to the nodes takes its time.
      for (const proxy of proxies) proxy.requestDelay = 100;
      door.reset();
      await reply;
      expect(await holderOn(servers, 'report')).toBeNull();
      for (const proxy of proxies) proxy.requestDelay = 0;
    }
    await slow.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });
});
