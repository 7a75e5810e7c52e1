import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import FakeTimers from '@sinonjs/fake-timers';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
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

describe.each<[string, () => unknown]>([
  [
    'on Redis nodes',
    () => RedlockModule.forRoot({ nodes: servers.map(({ url }) => url), nodeTimeout: 3_000, restartQuarantine: false }),
  ],
  ['of the testing module', () => RedlockTestingModule.forRoot()],
  ['without Redis (enabled: false)', () => RedlockModule.forRoot({ enabled: false })],
])('a lock %s', (_where, importOf) => {
  describe.each(FAKES)('under %s', (_name, fake) => {
    let app: INestApplicationContext;
    let service: RedlockService;
    let restore = (): void => undefined;

    beforeEach(async () => {
      app = await NestFactory.createApplicationContext(
        { module: class {}, imports: [importOf() as Type] },
        { logger: false },
      );
      service = app.get(RedlockService);
      restore = fake();
    });
    afterEach(async () => {
      restore();
      await app.close();
    });

    it('comes if it is free, passes to a caller that waits, and ends with its lease', async () => {
      const lock = await service.acquire('a', { ttl: 200 });
      expect(lock.validity).toBeGreaterThan(0);
      expect(lock.validity).toBeLessThanOrEqual(200);
      const next = service.acquire('a', { ttl: 200, waitTimeout: 5_000 });
      await lock.release();
      const second = await next;
      // Nobody extends this lock, so that its lease ends by itself, and the next caller gets it.
      const third = await service.acquire('a', { ttl: 200, waitTimeout: 5_000 });
      expect([lock.isValid, second.isValid, third.isValid]).toEqual([false, false, true]);
      expect(third.fencingToken).toBeGreaterThan(second.fencingToken);
      await third.release();
    });

    it('is extended while its work runs', async () => {
      const valid = await service.withLock(
        'b',
        async (lock) => {
          const other = await service.tryAcquire('c', { ttl: 1_200 });
          await service.acquire('c', { ttl: 1_200, waitTimeout: 5_000 }).then((one) => one.release());
          expect(other!.isValid).toBe(false);
          return lock.isValid;
        },
        { ttl: 600 },
      );
      expect(valid).toBe(true);
    });
  });
});
