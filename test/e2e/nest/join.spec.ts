import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, ConflictException, Controller, Header, HttpCode, Inject, Injectable, Post } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { defer, map, type Observable } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { Endings } from '../../support/nest/endings.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';

const JOIN = { onContended: 'join' } as const;
const KEY = 'report:1';

@Injectable()
class Reports {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('report:<0>', JOIN)
  async write(id: string): Promise<object> {
    await this.door.pass(id);
    return { visits: this.door.visits.length };
  }
}

@Controller()
class ReportsController {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Reports) private readonly reports: Reports,
  ) {}

  @Post('promise')
  @HttpCode(202)
  @Header('x-report', 'yes')
  @WithLock('report:<body.id>', { ...JOIN, reentrant: true })
  async promise(@Body('id') id: string): Promise<object> {
    await this.door.pass(id);
    return { visits: this.door.visits.length };
  }

  @Post('by-argument')
  @HttpCode(202)
  @Header('x-report', 'yes')
  @WithLock('report:<0>', JOIN)
  async byArgument(@Body('id') id: string): Promise<object> {
    return this.promise(id);
  }

  @Post('observable')
  @HttpCode(202)
  @Header('x-report', 'yes')
  @WithLock('report:<body.id>', JOIN)
  observable(@Body('id') id: string): Observable<object> {
    return defer(() => this.door.pass(id)).pipe(map(() => ({ visits: this.door.visits.length })));
  }

  @Post('service')
  @HttpCode(202)
  @Header('x-report', 'yes')
  service(@Body('id') id: string): Promise<object> {
    return this.reports.write(id);
  }

  @Post('failing')
  @WithLock('report:<body.id>', JOIN)
  async failing(@Body('id') id: string): Promise<void> {
    await this.door.pass(id);
    throw new ConflictException('business');
  }

  @Post('impatient')
  @WithLock('report:<body.id>', { ...JOIN, waitTimeout: 300 })
  async impatient(@Body('id') id: string): Promise<void> {
    await this.door.pass(id);
  }
}

const PATHS = ['promise', 'by-argument', 'observable', 'service'];

describe.each(PLATFORMS)('calls that join on %s', (platform) => {
  const { door, servers } = shutDoor();
  const body = { id: '1' };
  let endings: Endings;
  let [app, replica]: TestApp[] = [];

  beforeEach(async () => {
    endings = new Endings();
    const providers = [Reports, { provide: Door, useValue: door }];
    const metadata = () => ({ imports: [poolOn(servers)], controllers: [ReportsController], providers });
    [app, replica] = await TestApp.pair(platform, metadata, (nest) => nest.useGlobalInterceptors(endings));
  });

  afterEach(() => untilFree(servers));

  describe.each(PATHS)('at %s', (path) => {
    const ok = { status: 202, body: { visits: 1 }, headers: { 'x-report': 'yes' } };

    it('get one answer to identical requests that come while the first one runs', async () => {
      const first = app!.post(path, body);
      await door.untilVisits(1);
      const joiners = [app!.post(path, body), app!.post(path, body)];
      await app!.log.until('joined', KEY, 2);
      door.open();
      for (const reply of await Promise.all([first, ...joiners])) expect(reply).toMatchObject(ok);
      expect([door.visits.length, app!.log.count('acquired', KEY)]).toEqual([1, 1]);
    });

    it('get it though the first client has gone away, before it had the lock', async () => {
      const holder = await replica!.redlock.acquire(KEY);
      const client = new AbortController();
      const first = app!.post(path, body, { signal: client.signal });
      await app!.log.until('contended', KEY);
      const joiner = app!.post(path, body);
      await app!.log.until('joined', KEY);
      client.abort();
      await expect(first).rejects.toThrow(/aborted/);
      // A locked service does not know of the client.
      if (path !== 'service') await endings.until(1);
      door.open();
      await holder.release();
      expect(await joiner).toMatchObject(ok);
    });

    it.each(['first', 'second'])('get it though the %s client has gone away under way', async (who) => {
      const client = new AbortController();
      const signals = [who === 'first' ? client.signal : undefined, who === 'second' ? client.signal : undefined];
      const [options, others] = signals.map((signal) => (signal ? { signal } : {}));
      const first = app!.post(path, body, options);
      await door.untilVisits(1);
      const second = app!.post(path, body, others);
      await app!.log.until('joined', KEY);
      const [leaving, staying] = who === 'first' ? [first, second] : [second, first];
      client.abort();
      await expect(leaving).rejects.toThrow(/aborted/);
      door.open();
      expect(await staying).toMatchObject(ok);
      expect(door.visits).toHaveLength(1);
    });

    it('do not get what another replica does', async () => {
      const first = app!.post(path, body);
      await door.untilVisits(1);
      const other = replica!.post(path, body);
      await replica!.log.until('contended', KEY);
      door.open();
      expect([await first, await other]).toMatchObject([ok, { ...ok, body: { visits: 2 } }]);
      expect(door.most).toBe(1);
    });
  });

  it('get the same exception', async () => {
    const first = app!.post('failing', body);
    await door.untilVisits(1);
    const second = app!.post('failing', body);
    await app!.log.until('joined', KEY);
    door.open();
    const refusal = { status: 409, body: { message: 'business' } };
    expect(await Promise.all([first, second])).toMatchObject([refusal, refusal]);
  });

  it('are all told when to come again where the lock cannot be had', async () => {
    const holder = await replica!.redlock.acquire(KEY);
    const first = app!.post('impatient', body);
    await app!.log.until('contended', KEY);
    const second = app!.post('impatient', body);
    const refusal = { status: 409, body: { code: 'RESOURCE_LOCKED' }, headers: { 'retry-after': expect.any(String) } };
    expect(await Promise.all([first, second])).toMatchObject([refusal, refusal]);
    await holder.release();
  });
});
