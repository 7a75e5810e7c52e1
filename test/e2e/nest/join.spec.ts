import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, ConflictException, Controller, Header, HttpCode, Inject, Injectable, Post } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { defer, map, type Observable } from 'rxjs';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { Endings } from '../../support/nest/endings.js';
import { untilFree } from '../../support/nest/nodes.js';
import { Replicas } from '../../support/nest/replicas.js';
import { PLATFORMS, type TestApp } from '../../support/nest/test-app.js';
import type { RedisServer } from '../../support/redis-server.js';

const JOIN = { onContended: 'join' } as const;
const KEY = 'report:1';

@Injectable()
class Reports {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('report:<0>', { ...JOIN, reentrant: true })
  async write(id: string, @CurrentLock() lock?: Lock): Promise<object> {
    await this.door.pass(id);
    return { visits: this.door.visits.length, token: lock?.fencingToken };
  }

  @WithLock('report:<0>')
  async rewrite(id: string): Promise<object> {
    await this.door.pass(`${id} again`);
    return this.write(id);
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
  const body = { id: '1' };
  const endings = new Endings();
  let door: Door;
  let [app, replica]: TestApp[] = [];
  let servers: readonly RedisServer[];

  beforeAll(async () => {
    const providers = [Reports, { provide: APP_INTERCEPTOR, useValue: endings }];
    const replicas = await Replicas.start(platform, () => ({ controllers: [ReportsController], providers }));
    ({ one: app, two: replica, door, servers } = replicas);
  });

  beforeEach(() => {
    for (const { log } of [app!, replica!]) log.clear();
    endings.all.length = 0;
    door.reset();
    door.shut();
  });

  afterEach(async () => {
    door.open();
    await untilFree(servers);
  });

  afterAll(endAll);

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

  it('get the very object and lock of the first one from a service', async () => {
    const reports = app!.app.get(Reports);
    const calls = [reports.write('1'), reports.write('1'), reports.write('2')];
    await door.untilVisits(2);
    door.open();
    const [first, second, other] = await Promise.all(calls);
    expect(second).toBe(first);
    expect(other).toEqual({ visits: 2, token: expect.any(Number) });
    expect(door.visits).toHaveLength(2);
  });

  it('run inside a lock that their caller holds if they are reentrant, though others wait for it', async () => {
    const reports = app!.app.get(Reports);
    const outer = reports.rewrite('1');
    await door.untilVisits(1);
    const waiting = reports.write('1');
    await app!.log.until('contended', KEY);
    door.open();
    const [rewritten, written] = await Promise.all([outer, waiting]);
    expect(rewritten).not.toBe(written);
    expect(door.visits).toEqual(['1 again', '1', '1']);
  });
});
