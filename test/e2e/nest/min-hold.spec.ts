import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { RedlockModule, WithLock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { keysOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

/** Ms, longer than a test takes. */
const LONG = 60_000;
/** Ms, so that it is over in a test. */
const SHORT = 600;

@Injectable()
class Jobs {
  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('long', { minHold: LONG, onContended: 'skip' })
  async long(): Promise<string> {
    await this.door.pass('long');
    return 'ran';
  }

  @WithLock('failing', { minHold: LONG, onContended: 'skip' })
  async failing(): Promise<void> {
    await this.door.pass('failing');
    throw new Error('business');
  }

  @WithLock('short', { minHold: SHORT })
  async short(): Promise<number> {
    const began = performance.now();
    await this.door.pass('short');
    return began;
  }
}

@Controller()
class JobsController {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Get('export')
  @WithLock('export', { minHold: LONG, onContended: 'reject' })
  async export(): Promise<string> {
    await this.door.pass('export');
    return 'ran';
  }
}

describe('minHold on two replicas', () => {
  const door = new Door();
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];
  const jobs = (app: TestApp | undefined): Jobs => app!.app.get(Jobs);

  beforeAll(async () => {
    servers = await startRedisServers(3);
  });

  beforeEach(async () => {
    door.reset();
    const providers = [Jobs, { provide: Door, useValue: door }];
    const metadata = () => ({ imports: [poolOn(servers)], controllers: [JobsController], providers });
    [one, two] = await TestApp.pair('Express', metadata);
  });

  afterEach(async () => {
    await closeApps();
    await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.flushall())));
  });

  afterAll(() => stopAll());

  it.each(['the other replica', 'the same one'])('keeps a job that was short from running again on %s', async (who) => {
    await expect(jobs(one).long()).resolves.toBe('ran');
    const next = who === 'the same one' ? one : two;
    await expect(jobs(next).long()).resolves.toBeUndefined();
    expect([door.visits, next!.log.count('skipped', 'long')]).toEqual([['long'], 1]);
  });

  it('keeps a job that failed from running again, too', async () => {
    await expect(jobs(one).failing()).rejects.toThrow('business');
    await expect(jobs(two).failing()).resolves.toBeUndefined();
    expect(door.visits).toEqual(['failing']);
  });

  it('answers a handler at once, and tells the next client when to come again', async () => {
    expect(await one!.get('export')).toMatchObject({ status: 200, body: 'ran' });
    const { status, headers } = await two!.get('export');
    expect([status, Number(headers['retry-after'])]).toEqual([409, expect.closeTo(LONG / 1_000, -1)]);
  });

  it('gives the lock to all waiters in turn, each as long after the one before', async () => {
    const ran = await Promise.all([one, two, one].map((app) => jobs(app).short()));
    const [first, second, third] = ran.sort((a, b) => a - b) as [number, number, number];
    expect(Math.min(second - first, third - second)).toBeGreaterThan(SHORT - 100);
    await untilFree(servers);
  });

  it('is not waited for at shutdown: the keys stay for the rest of it', async () => {
    await jobs(one).long();
    await one!.close();
    expect(await keysOn(servers)).toEqual(Array(3).fill('lock:long'));
    const left = await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.pttl('lock:long'))));
    for (const ms of left) expect([ms > LONG / 2, ms <= LONG]).toEqual([true, true]);
    await expect(jobs(two).long()).resolves.toBeUndefined();
  });

  it('is at most maxTtl', () => {
    const register = (): unknown =>
      RedlockModule.forRoot({ nodes: ['redis://10.0.0.1'], defaults: { minHold: 30_001 } });
    expect(register).toThrow(RangeError);
    expect(register).toThrow(/minHold must be at most maxTtl, 30000 ms/);
  });
});
