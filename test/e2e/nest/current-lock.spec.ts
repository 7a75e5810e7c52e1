import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Inject, Injectable, Post, ValidationPipe } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { map, Observable, of } from 'rxjs';
import { endAll } from '../../support/nest/end-all.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const seen = (lock: Lock | undefined): object => ({
  resources: lock?.resources,
  isValid: lock?.isValid,
  value: lock?.value,
});

@Injectable()
class Reports {
  @WithLock('report:<0>')
  async write(_id: string, @CurrentLock() lock?: Lock): Promise<object> {
    lock?.assertValid();
    return seen(lock);
  }
}

@Controller()
class Orders {
  constructor(@Inject(Reports) private readonly reports: Reports) {}

  @Post('by-request')
  @WithLock('order:<body.id>')
  async byRequest(@Body('id') _id: string, @CurrentLock() lock: Lock): Promise<object> {
    return seen(lock);
  }

  @Post('by-argument')
  @WithLock('order:<1>')
  async byArgument(@CurrentLock() lock: Lock, @Body('id') _id: string): Promise<object> {
    return seen(lock);
  }

  @WithLock((id: string) => `order:${id}`)
  @Post('observable')
  observable(@Body('id') _id: string, @CurrentLock() lock: Lock): Observable<object> {
    return of(lock).pipe(map(seen));
  }

  @Post('provider')
  @WithLock('order:<body.id>')
  async provider(@Body('id') id: string, @CurrentLock() outer: Lock): Promise<object> {
    return { inner: await this.reports.write(id), outer: seen(outer) };
  }

  @Get('nested')
  @WithLock('order:nested')
  async nested(@CurrentLock() lock: Lock): Promise<boolean> {
    // As the method says it, called by hand: the outer lock is the inner one.
    return lock === (await this.again());
  }

  @WithLock('order:nested', { reentrant: true })
  async again(@CurrentLock() lock?: Lock): Promise<Lock | undefined> {
    return lock;
  }

  @Get('unlocked')
  unlocked(@CurrentLock() lock?: Lock): object {
    return seen(lock);
  }
}

describe.each(PLATFORMS)('@CurrentLock on %s', (platform) => {
  let servers: RedisServer[];
  let app: TestApp;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = { imports: [poolOn(servers)], controllers: [Orders], providers: [Reports] };
    // As strict as it gets: what the decorator gives is no data of the client.
    const pipe = new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      validateCustomDecorators: true,
    });
    app = await TestApp.start(platform, metadata, (nest) => nest.useGlobalPipes(pipe));
  });

  afterAll(endAll);

  it.each(['by-request', 'by-argument', 'observable'])('is the lock of this call in a handler: %s', async (path) => {
    const { status, body } = await app.post(path, { id: '7' });
    expect([status, body]).toEqual([
      201,
      { resources: ['order:7'], isValid: true, value: expect.stringMatching(/\S{10,}/) },
    ]);
    await untilFree(servers);
  });

  it('is another one for every call', async () => {
    const values = [];
    for (const path of ['by-request', 'by-request', 'by-argument'])
      values.push((await app.post(path, { id: '7' })).body);
    expect(new Set(values.map((value) => (value as { value: string }).value)).size).toBe(3);
  });

  it('is the lock of a provider method, and of the handler around it', async () => {
    const { body } = await app.post('provider', { id: '7' });
    expect(body).toMatchObject({
      inner: { resources: ['report:7'], isValid: true },
      outer: { resources: ['order:7'], isValid: true },
    });
    expect(await app.app.get(Reports).write('8')).toMatchObject({ resources: ['report:8'], isValid: true });
  });

  it('is the held lock in a method that runs inside it', async () => {
    expect((await app.get('nested')).body).toBe(true);
  });

  it('is nothing in a handler without a lock', async () => {
    expect((await app.get('unlocked')).body).toEqual({});
  });

  it('has the value that is on the nodes', async () => {
    const lock = await app.redlock.acquire('seen');
    expect(await holderOn(servers, 'seen')).toBe(lock.value);
    await lock.release();
  });
});
