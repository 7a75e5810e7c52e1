import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Inject, Injectable, Logger, Module, type DynamicModule, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule } from '../../../lib/redlock.module.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { getRedlockToken, InjectRedlock } from '../../../lib/redlock.tokens.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';
import { WithLock } from '../../../lib/with-lock/with-lock.decorator.js';

/** Nobody is there: a lock on these fails. */
const nodes = ['redis://127.0.0.1:1'];

@Injectable()
class Payouts {
  constructor(@Inject(RedlockService) readonly redlock: RedlockService) {}

  @WithLock('pay:<0>')
  async pay(id: number): Promise<string> {
    return `paid ${id}`;
  }
}

@Injectable()
class Reports {
  constructor(@InjectRedlock() readonly redlock: RedlockService) {}
}

@Injectable()
class Invoices {
  constructor(@InjectRedlock('billing') readonly redlock: RedlockService) {}

  @WithLock('invoice:<0>', { name: 'billing' })
  async write(id: number): Promise<string> {
    return `wrote ${id}`;
  }
}

let module: TestingModule;
const build = async (imports: (DynamicModule | Type)[], providers: Type[] = []): Promise<TestingModule> =>
  (module = await Test.createTestingModule({ imports, providers }).compile());

afterEach(async () => {
  jest.restoreAllMocks();
  await module.close();
});

describe('RedlockTestingModule', () => {
  describe('alone', () => {
    it('provides the service under its class and under its token', async () => {
      await build([RedlockTestingModule.forRoot()], [Payouts]);
      expect(module.get(RedlockService)).toBeInstanceOf(RedlockService);
      expect(module.get(getRedlockToken())).toBe(module.get(RedlockService));
      expect(module.get(Payouts).redlock).toBe(module.get(RedlockService));
      await expect(module.get(Payouts).pay(5)).resolves.toBe('paid 5');
    });

    it('provides the named pools that it is told of', async () => {
      await build([RedlockTestingModule.forRoot({ pools: ['billing'] })], [Invoices]);
      await expect(module.get(Invoices).write(5)).resolves.toBe('wrote 5');
      expect(module.get(getRedlockToken('billing'))).not.toBe(module.get(RedlockService));
      expect(module.get(RedlockTesting).pool('billing').count('acquired', 'invoice:5')).toBe(1);
    });

    it('has three nodes, or as many as it is told', async () => {
      await build([RedlockTestingModule.forRoot()]);
      expect(module.get(RedlockTesting).nodes.map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3']);
      await build([RedlockTestingModule.forRoot({ nodes: 5 })]);
      expect(module.get(RedlockTesting).nodes).toHaveLength(5);
    });

    it('is seen only by modules that import it, unless it is global', async () => {
      @Module({ providers: [Payouts] })
      class FeatureModule {}
      await expect(build([RedlockTestingModule.forRoot(), FeatureModule])).rejects.toThrow(
        /can't resolve dependencies of the Payouts/,
      );
      await build([RedlockTestingModule.forRoot({ isGlobal: true }), FeatureModule]);
      await expect(module.get(Payouts).pay(5)).resolves.toBe('paid 5');
    });

    it('begins again for each application that it is imported by', async () => {
      const testingModule = RedlockTestingModule.forRoot();
      const first = (await build([testingModule])).get(RedlockTesting);
      first.hold('a');
      const second = (await build([testingModule])).get(RedlockTesting);
      expect([first.isLocked('a'), second.isLocked('a')]).toEqual([true, false]);
    });

    it('says in the log that its locks are for tests', async () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
      await (await build([RedlockTestingModule.forRoot()])).init();
      expect(warn.mock.calls).toEqual([[expect.stringContaining('in the memory of this process')]]);
    });

    it('takes the options of a pool', async () => {
      await build([RedlockTestingModule.forRoot({ maxTtl: 2_000, defaults: { waitTimeout: 0 } })]);
      module.get(RedlockTesting).hold('a');
      await expect(module.get(RedlockService).acquire('a')).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
      await expect(module.get(RedlockService).acquire('b', { ttl: 2_001 })).rejects.toThrow(RangeError);
      expect((await module.get(RedlockService).acquire('b')).validity).toBeLessThanOrEqual(2_000);
    });
  });

  describe.each<[string, (options: { name?: string; isGlobal?: boolean }) => DynamicModule]>([
    ['forRoot', (options) => RedlockModule.forRoot({ nodes, defaults: { waitTimeout: 0 }, ...options })],
    [
      'forRootAsync',
      (options) =>
        RedlockModule.forRootAsync({
          useFactory: async () => {
            await new Promise(setImmediate);
            return { nodes, defaults: { waitTimeout: 0 } };
          },
          ...options,
        }),
    ],
  ])('beside RedlockModule.%s', (_name, register) => {
    const appOf = (...pools: DynamicModule[]): Type => {
      @Module({ imports: pools, providers: [Payouts], exports: [Payouts] })
      class AppModule {}
      return AppModule;
    };

    it.each(['before', 'after'])('has the pool of the application in memory, imported %s it', async (place) => {
      const modules = [appOf(register({})), RedlockTestingModule.forRoot()];
      await build(place === 'before' ? modules.reverse() : modules);
      await expect(module.get(Payouts).pay(5)).resolves.toBe('paid 5');
      expect(module.get(RedlockTesting).count('acquired', 'pay:5')).toBe(1);
    });

    it.each(['before', 'after'])('provides the very service of the application, imported %s it', async (place) => {
      const modules = [appOf(register({})), RedlockTestingModule.forRoot()];
      await build(place === 'before' ? modules.reverse() : modules, [Reports]);
      const { redlock } = module.get(Payouts);
      expect([module.get(RedlockService), module.get(getRedlockToken())]).toEqual([redlock, redlock]);
      // Its module sees only that of the test.
      expect(module.get(Reports).redlock).toBe(redlock);
    });

    it('has the options of the application', async () => {
      await build([RedlockTestingModule.forRoot(), appOf(register({}))]);
      module.get(RedlockTesting).hold('pay:5');
      await expect(module.get(Payouts).pay(5)).rejects.toMatchObject({ code: 'RESOURCE_LOCKED' });
    });

    it('lets the options of the test go before those of the application', async () => {
      const app = appOf(register({}));
      await build([RedlockTestingModule.forRoot({ clock: 'manual', defaults: { waitTimeout: 300 } }), app]);
      const testing = module.get(RedlockTesting);
      testing.hold('pay:5');
      let code: unknown;
      const paying = module
        .get(Payouts)
        .pay(5)
        .catch((error: { code: unknown }) => (code = error.code));
      await testing.advance(299);
      expect(code).toBeUndefined();
      await testing.advance(1);
      expect(await paying).toBe('RESOURCE_LOCKED');
    });

    it('has its named pools in memory too, without being told of them', async () => {
      const billing = register({ name: 'billing', isGlobal: true });
      await build([appOf(register({}), billing), RedlockTestingModule.forRoot()], [Invoices]);
      await expect(module.get(Invoices).write(5)).resolves.toBe('wrote 5');
      expect(module.get(RedlockTesting).count('acquired')).toBe(0);
      expect(module.get(RedlockTesting).pool('billing').count('acquired', 'invoice:5')).toBe(1);
    });

    it('has one pool for several modules that import it', async () => {
      const pool = register({});
      await build([appOf(pool), pool, RedlockTestingModule.forRoot()]);
      const testing = module.get(RedlockTesting);
      const lock = await module.get(Payouts).redlock.acquire('a');
      expect(testing.isLocked('a')).toBe(true);
      await testing.loseLock('a');
      expect(lock.isValid).toBe(false);
    });

    it('makes the pool visible to no more modules than the application does', async () => {
      @Module({ providers: [Payouts] })
      class Forgetful {}
      const imports = [appOf(register({})), Forgetful, RedlockTestingModule.forRoot()];
      await expect(build(imports)).rejects.toThrow(/can't resolve dependencies of the Payouts/);
    });

    it('goes through the hooks of its life with the application', async () => {
      await build([appOf(register({})), RedlockTestingModule.forRoot()]);
      await module.init();
      const { redlock } = module.get(Payouts);
      await module.close();
      await expect(redlock.acquire('a')).rejects.toMatchObject({ code: 'CLOSED' });
    });
  });
});
