import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Inject, Post, type DynamicModule } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockService } from '../../../lib/redlock.service.js';
import { getRedlockToken } from '../../../lib/redlock.tokens.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

@Controller()
class Users {
  constructor(@Inject(RedlockTesting) private readonly testing: RedlockTesting) {}

  @Post()
  @WithLock('user:<body.email|lower>')
  async register(@Body() _body: object): Promise<readonly string[]> {
    return this.testing.locked();
  }
}

let module: TestingModule;
const start = async (pools: DynamicModule): Promise<[RedlockTesting, RedlockService]> => {
  module = await Test.createTestingModule({ imports: [pools], controllers: [Users] }).compile();
  module.useLogger(false);
  return [module.get(RedlockTesting), module.get(RedlockService)];
};
afterEach(() => module.close());

describe('RedlockTesting', () => {
  describe('with a manual clock', () => {
    it('ends a wait at once where its time has passed', async () => {
      const [testing, service] = await start(RedlockTestingModule.forRoot({ clock: 'manual' }));
      testing.hold('a');
      let error: unknown;
      service.acquire('a', { waitTimeout: 60_000 }).catch((reason: unknown) => (error = reason));
      await testing.advance(59_999);
      expect(error).toBeUndefined();
      await testing.advance(1);
      expect(error).toMatchObject({ code: 'RESOURCE_LOCKED' });
    });

    it('ends leases, and extends those that are to be extended', async () => {
      const [testing, service] = await start(RedlockTestingModule.forRoot({ clock: 'manual' }));
      const [left, kept] = [await service.acquire('a'), await service.acquire('b', { autoExtend: true })];
      await testing.advance(4_000);
      expect([left.isValid, left.validity < 1_000]).toEqual([true, true]);
      await testing.advance(1_000);
      expect([left.isValid, kept.isValid, testing.locked()]).toEqual([false, true, ['b']]);
      await kept.release();
    });

    it('lets no time pass by itself', async () => {
      const [, service] = await start(RedlockTestingModule.forRoot({ clock: 'manual' }));
      const lock = await service.acquire('a');
      const { validity } = lock;
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(lock.validity).toBe(validity);
      await lock.release();
    });

    it('does not keep an application from shutting down in its own time', async () => {
      const [testing, service] = await start(
        RedlockTestingModule.forRoot({ clock: 'manual', shutdownTimeout: 50, nodeTimeout: 50 }),
      );
      await service.acquire('a');
      testing.nodes.forEach((node) => node.freeze());
      await module.close();
      expect(testing.count('lost', 'a')).toBe(1);
    });

    it.each([-1, NaN, Infinity, '5'])('refuses to advance by %p', async (ms) => {
      const [testing] = await start(RedlockTestingModule.forRoot({ clock: 'manual' }));
      await expect(testing.advance(ms as number)).rejects.toThrow(/advance must be a number of ms from 0 to/);
    });
  });

  describe('with the real clock', () => {
    it('says that it cannot be moved', async () => {
      const [testing] = await start(RedlockTestingModule.forRoot());
      await expect(testing.advance(5)).rejects.toThrow("forRoot({ clock: 'manual' })");
    });

    it('lets time pass by itself', async () => {
      const [testing, service] = await start(RedlockTestingModule.forRoot());
      testing.hold('a', { ttl: 20 });
      await (await service.acquire('a', { retryDelay: 5, retryJitter: 0, waitTimeout: 20_000 })).release();
    });

    it('starts also while timers are fake', async () => {
      jest.useFakeTimers();
      try {
        await start(RedlockTestingModule.forRoot());
        await module.init();
      } finally {
        jest.useRealTimers();
      }
    });

    it.each<[string, Parameters<typeof jest.useFakeTimers>[0]]>([
      ['', {}],
      [' of the legacy kind', { legacyFakeTimers: true }],
    ])('does not follow fake timers%s: locks go on by themselves', async (_, terms) => {
      jest.useFakeTimers(terms);
      try {
        const [testing, service] = await start(RedlockTestingModule.forRoot());
        testing.hold('a', { ttl: 20 });
        const options = { retryDelay: 5, retryJitter: 0, waitTimeout: 20_000 };
        expect(await service.withLock('a', () => 'locked', options)).toBe('locked');
      } finally {
        jest.useRealTimers();
      }
    });
  });

  it('has a pool of its own for each name', async () => {
    const [testing, service] = await start(RedlockTestingModule.forRoot({ pools: ['billing'] }));
    const billing = testing.pool('billing');
    billing.hold('a');
    expect(testing.pool('billing')).toBe(billing);
    expect([testing.isLocked('a'), billing.isLocked('a')]).toEqual([false, true]);
    await (await service.acquire('a', { waitTimeout: 0 })).release();
    billing.outage();
    await (await service.acquire('a', { waitTimeout: 0 })).release();
    expect(billing.nodes.map(({ name }) => name)).toEqual(['billing/node-1', 'billing/node-2', 'billing/node-3']);
    const named = module.get<RedlockService>(getRedlockToken('billing'));
    await expect(named.acquire('b', { waitTimeout: 0 })).rejects.toMatchObject({ code: 'QUORUM_NOT_REACHED' });
  });

  it('says which pools there are', async () => {
    const [testing] = await start(RedlockTestingModule.forRoot({ pools: ['billing', 'reports'] }));
    expect(() => testing.pool('biling')).toThrow('There is no pool "biling"; the named ones are billing, reports');
  });

  describe('asRequest', () => {
    it('lets handlers that are called directly lock by a request', async () => {
      const [testing] = await start(RedlockTestingModule.forRoot());
      const users = module.get(Users);
      const body = { email: 'Ann@b.c' };
      await expect(users.register(body)).rejects.toThrow(/<body\.email> reads from an HTTP request/);
      await expect(testing.asRequest({ body }, () => users.register(body))).resolves.toEqual(['user:ann@b.c']);
    });

    it('lets the lock tell what it has to tell as it is', async () => {
      const [testing] = await start(RedlockTestingModule.forRoot({ defaults: { waitTimeout: 0 } }));
      const register = (email?: string): Promise<unknown> =>
        testing.asRequest({ body: { email } }, () => module.get(Users).register({}));
      testing.hold('user:ann@b.c');
      await expect(register('ann@b.c')).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
      await expect(register()).rejects.toMatchObject({ code: 'LOCK_KEY' });
    });
  });
});
