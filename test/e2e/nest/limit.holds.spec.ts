import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { keysOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { Door } from '../../support/nest/door.js';
import { TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';

const SLOTS = [0, 1];
/** Ms: so short that a lock that is not extended is lost in a test. */
const TTL = 400;
const LIMIT = { limit: SLOTS.length, ttl: TTL } as const;
const MAX_HOLD = 900;
/** Ms, longer than a test takes. */
const LONG = 60_000;

@Injectable()
class Jobs {
  readonly locks: Lock[] = [];

  constructor(@Inject(Door) private readonly door: Door) {}

  @WithLock('extended', { ...LIMIT, autoExtend: true })
  async extended(@CurrentLock() lock?: Lock): Promise<boolean> {
    return this.#hold(lock!);
  }

  @WithLock('bounded', { ...LIMIT, autoExtend: true, maxHold: MAX_HOLD })
  async bounded(@CurrentLock() lock?: Lock): Promise<number> {
    const began = performance.now();
    this.locks.push(lock!);
    await new Promise((resolve) => lock!.signal.addEventListener('abort', resolve));
    return performance.now() - began;
  }

  @WithLock('kept', { ...LIMIT, minHold: LONG, onContended: 'skip' })
  async kept(@CurrentLock() lock?: Lock): Promise<number | undefined> {
    return lock?.slot;
  }

  async #hold(lock: Lock): Promise<boolean> {
    this.locks.push(lock);
    await this.door.pass();
    return lock.isValid;
  }
}

@Controller()
class JobsController {
  @Get('kept')
  @WithLock('kept', { ...LIMIT, minHold: LONG, onContended: 'reject' })
  async kept(@CurrentLock() lock: Lock): Promise<unknown> {
    return { slot: lock.slot };
  }
}

describe('each slot of a method with a limit', () => {
  const { door, servers } = shutDoor();

  afterEach(async () => {
    await Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.flushall())));
  });

  const start = async (): Promise<{ apps: TestApp[]; jobs: Jobs[] }> => {
    const providers = [Jobs, { provide: Door, useValue: door }];
    const metadata = () => ({ imports: [poolOn(servers)], controllers: [JobsController], providers });
    const apps = await TestApp.pair('Express', metadata);
    return { apps, jobs: apps.map(({ app }) => app.get(Jobs)) };
  };
  const slotsOf = (jobs: readonly Jobs[]): Set<unknown> =>
    new Set(jobs.flatMap(({ locks }) => locks.map(({ slot }) => slot)));

  it('is extended by itself while its work goes on, so that no third caller gets in', async () => {
    const { apps, jobs } = await start();
    const running = jobs.map((one) => one.extended());
    await door.untilVisits(2);
    expect(slotsOf(jobs)).toEqual(new Set(SLOTS));
    await Promise.all(apps.map(({ log }) => log.until('extended', 'extended', 5)));
    const tries = await Promise.all(apps.map(({ redlock }) => redlock.tryAcquire('extended', LIMIT)));
    expect(tries).toEqual([null, null]);
    door.open();
    expect(await Promise.all(running)).toEqual([true, true]);
    await untilFree(servers);
  });

  it('is lost after its own maxHold, and the other one is held on', async () => {
    const { apps, jobs } = await start();
    const first = jobs[0]!.bounded();
    await apps[0]!.log.until('extended', 'bounded', 2);
    const second = jobs[1]!.bounded();
    await apps[1]!.log.until('acquired', 'bounded');
    // Whatever its work does, the caller hears of the loss.
    await expect(first).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'max_hold' });
    expect(jobs[1]!.locks[0]!.isValid).toBe(true);
    const free = await apps[0]!.redlock.tryAcquire('bounded', LIMIT);
    expect(free?.slot).toBe(jobs[0]!.locks[0]!.slot);
    expect(await apps[0]!.redlock.tryAcquire('bounded', LIMIT)).toBeNull();
    await expect(second).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'max_hold' });
  });

  it('is kept for its minHold after a short run, and tells when to come again', async () => {
    const { apps, jobs } = await start();
    const slots = [await jobs[0]!.kept(), await jobs[1]!.kept()];
    expect([new Set(slots), await jobs[0]!.kept()]).toEqual([new Set(SLOTS), undefined]);
    const { status, headers } = await apps[1]!.get('kept');
    expect([status, Number(headers['retry-after'])]).toEqual([409, expect.closeTo(LONG / 1_000, -1)]);
    const names = new Set(SLOTS.map((slot) => `lock:kept~${slot}`));
    await eventually(async () => expect(new Set(await keysOn(servers))).toEqual(names));
  });
});
