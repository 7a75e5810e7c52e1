import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import FakeTimers from '@sinonjs/fake-timers';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Lock } from '../../../lib/engine/lock.js';
import { RedlockModule } from '../../../lib/redlock.module.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { RedlockTestingModule } from '../../../lib/testing/index.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

const LONG_AGO = new Date('2001-01-01').getTime();
/** What `vi.useFakeTimers()` of Vitest 3 and 4 replaces by default. */
const OF_VITEST = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
] as const;

/** Replaces timers and clocks, and returns what puts them back. */
type Fake = () => () => void;
const jestFakes =
  (terms: Parameters<typeof jest.useFakeTimers>[0]): Fake =>
  () => {
    jest.useFakeTimers(terms);
    return () => void jest.useRealTimers();
  };
const FAKES: [string, Fake][] = [
  ['the fake timers of Jest', jestFakes({})],
  ['the legacy fake timers of Jest', jestFakes({ legacyFakeTimers: true })],
  ['the fake timers of Jest, of a time long ago', jestFakes({ now: LONG_AGO })],
  [
    'the fake timers of Vitest',
    () => {
      const clock = FakeTimers.install({ toFake: [...OF_VITEST], now: LONG_AGO });
      return () => clock.uninstall();
    },
  ],
  [
    'a date of the test',
    () => {
      const spy = jest.spyOn(Date, 'now').mockReturnValue(LONG_AGO);
      return () => spy.mockRestore();
    },
  ],
];

let servers: RedisServer[];
beforeAll(async () => {
  servers = await startRedisServers(3);
});
afterAll(() => stopAll(servers));

describe.each(FAKES)('locks on Redis nodes, of the testing module and without Redis under %s', (_name, fake) => {
  let apps: INestApplicationContext[];
  let restore = (): void => undefined;

  beforeEach(async () => {
    const pools = [
      RedlockModule.forRoot({ nodes: servers.map(({ url }) => url), nodeTimeout: 3_000, restartQuarantine: false }),
      RedlockTestingModule.forRoot(),
      RedlockModule.forRoot({ enabled: false }),
    ];
    const modules = pools.map((pool) => ({ module: class {}, imports: [pool] }));
    apps = await Promise.all(modules.map((module) => NestFactory.createApplicationContext(module, { logger: false })));
    restore = fake();
  });
  afterEach(async () => {
    restore();
    await Promise.all(apps.map((app) => app.close()));
  });

  it('come if they are free, are extended while work runs, pass to a caller that waits, and end with their leases', async () => {
    const use = async (service: RedlockService): Promise<void> => {
      let next: Promise<Lock> | undefined;
      const work = async (lock: Lock): Promise<void> => {
        next = service.acquire('a', { waitTimeout: 10_000 });
        const first = await service.acquire('b', { ttl: 1_200 });
        expect(first.validity).toBeLessThanOrEqual(1_200);
        // Nobody extends this lock, so that its lease ends by itself, and the next caller gets it.
        const second = await service.acquire('b', { ttl: 1_200, waitTimeout: 5_000 });
        expect([lock.isValid, first.isValid, second.isValid]).toEqual([true, false, true]);
        expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
        await second.release();
      };
      await service.withLock('a', work, { ttl: 800 });
      await (await next!).release();
    };
    await Promise.all(apps.map((app) => use(app.get(RedlockService))));
  });
});
