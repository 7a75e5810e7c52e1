import { describe, expect, it, jest } from '@jest/globals';
import { Global, Injectable, Module, type DynamicModule, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule, type RedlockOptionsFactory } from '../../lib/redlock.module.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { getRedlockToken, InjectRedlock } from '../../lib/redlock.tokens.js';
import { POOL_MAKER, type PoolMaker } from '../../lib/start-up/pool-names.js';
import { WithLock } from '../../lib/with-lock/with-lock.decorator.js';

/** Nobody connects to them: a module connects when it is initialised, and these tests only build it. */
const nodes = ['redis://10.0.0.1', 'redis://10.0.0.2', 'redis://10.0.0.3'];

@Injectable()
class Reports {
  constructor(@InjectRedlock() readonly redlock: RedlockService) {}

  @WithLock('report')
  async write(): Promise<string> {
    return 'written';
  }
}

@Injectable()
class Pools {
  @InjectRedlock('a') readonly a: unknown;

  constructor(@InjectRedlock() readonly unnamed: unknown) {}
}

@Module({ providers: [Pools] })
class PoolsModule {}

@Module({ providers: [Reports], exports: [Reports] })
class FeatureModule {}

const build = (...imports: (DynamicModule | Type)[]): Promise<TestingModule> =>
  Test.createTestingModule({ imports }).compile();

describe('RedlockModule', () => {
  describe.each<[string, (options: RedlockModuleOptions & { isGlobal?: boolean; name?: string }) => DynamicModule]>([
    ['forRoot', (options) => RedlockModule.forRoot(options)],
    [
      'forRootAsync',
      ({ isGlobal, name, ...own }) => RedlockModule.forRootAsync({ isGlobal, name, useFactory: async () => own }),
    ],
  ])('%s', (_name, register) => {
    it('provides the service under its class and under its token', async () => {
      const module = await build(register({ nodes }));
      expect(module.get(RedlockService)).toBeInstanceOf(RedlockService);
      expect(module.get(getRedlockToken())).toBe(module.get(RedlockService));
    });

    it('is seen only by modules that import it', async () => {
      await expect(build(register({ nodes }), FeatureModule)).rejects.toThrow(
        /can't resolve dependencies of the Reports/,
      );
      const importing = Test.createTestingModule({ imports: [register({ nodes })], providers: [Reports] });
      expect((await importing.compile()).get(Reports).redlock).toBeInstanceOf(RedlockService);
    });

    it('is seen by all modules where it is global', async () => {
      const module = await build(register({ nodes, isGlobal: true }), FeatureModule);
      expect(module.get(Reports, { strict: false }).redlock).toBe(module.get(RedlockService));
    });

    it('provides a named pool under its own token only', async () => {
      const module = await build(register({ nodes, name: 'reports' }));
      expect(module.get(getRedlockToken('reports'))).toBeInstanceOf(RedlockService);
      expect(() => module.get<unknown>(getRedlockToken())).toThrow(/could not find/);
      expect(() => module.get(RedlockService)).toThrow(/could not find/);
    });

    it('may be registered for several pools, each with a service of its own', async () => {
      const imports = [
        register({ nodes }),
        register({ nodes: ['redis://10.0.1.1'], name: 'a' }),
        register({ nodes, name: 'b' }),
      ];
      const module = await Test.createTestingModule({ imports, providers: [Pools] }).compile();
      const services = [RedlockService, getRedlockToken('a'), getRedlockToken('b')].map((token) =>
        module.get<unknown>(token),
      );
      expect(new Set(services).size).toBe(3);
      const pools = module.get(Pools);
      expect([pools.unnamed, pools.a]).toEqual(services.slice(0, 2));
    });
  });

  it('fails at bootstrap where a class with locks has no pool to take them from', async () => {
    @Module({ providers: [class Jobs {}] })
    class Empty {}
    class Users {
      @WithLock('a')
      async create(): Promise<void> {}
    }
    class Named {
      @WithLock('a', { name: 'reports' })
      async create(): Promise<void> {}
    }
    const missing = /can't resolve dependencies of the (Users|Named|RedlockInterceptor)[^]*RedlockService/;
    await expect(Test.createTestingModule({ imports: [Empty], providers: [Users] }).compile()).rejects.toThrow(missing);
    await expect(Test.createTestingModule({ controllers: [Users] }).compile()).rejects.toThrow(missing);
    const unnamed = RedlockModule.forRoot({ nodes });
    await expect(Test.createTestingModule({ imports: [unnamed], providers: [Named] }).compile()).rejects.toThrow(
      missing,
    );
  });

  it('tells a provider that calls a locked method in its constructor to call it later', async () => {
    @Injectable()
    class Eager {
      readonly early = this.run().catch((reason: unknown) => reason);

      @WithLock('a')
      async run(): Promise<void> {}
    }
    const imports = [RedlockModule.forRoot({ nodes })];
    const module = await Test.createTestingModule({ imports, providers: [Eager] }).compile();
    expect(await module.get(Eager).early).toMatchObject({
      code: 'NO_SERVICE',
      message: expect.stringMatching(
        /Eager\.run .*call the method after the constructor, for example in onModuleInit$/,
      ),
    });
  });

  it.each<[string, (settings: RedlockModuleOptions) => DynamicModule]>([
    ['forRoot', (settings) => RedlockModule.forRoot(settings)],
    ['forRootAsync', (settings) => RedlockModule.forRootAsync({ useFactory: () => settings })],
  ])('%s reads an object of a class, whose getters are no properties of its own', async (_name, register) => {
    class Settings {
      readonly nodes = nodes;
      get keyPrefix(): string {
        return 'shop:';
      }
      get maxTtl(): number {
        return 10_000;
      }
      get defaults(): object {
        return { ttl: 1_000 };
      }
    }
    const make = jest.fn<PoolMaker['make']>(() => ({}) as RedlockService);

    @Global()
    @Module({ providers: [{ provide: POOL_MAKER, useValue: { make } }], exports: [POOL_MAKER] })
    class MakerModule {}

    await build(MakerModule, register(new Settings()));
    const read = { nodes, keyPrefix: 'shop:', maxTtl: 10_000, defaults: { ttl: 1_000 } };
    expect(make.mock.calls).toEqual([[undefined, read]]);
  });

  it('reads by getters, too, whether a pool is global, and its name', async () => {
    class Settings {
      readonly nodes = nodes;
      get isGlobal(): boolean {
        return true;
      }
      get name(): string {
        return 'a';
      }
    }
    const module = await build(
      RedlockModule.forRoot(new Settings()),
      RedlockModule.forRoot({ nodes, isGlobal: true }),
      PoolsModule,
    );
    expect(module.get(Pools, { strict: false }).a).toBe(module.get(getRedlockToken('a')));
  });

  it('lets a test put its own service in the place of the real one, also for the decorators', async () => {
    const resources: unknown[] = [];
    const stub = {
      withLock: async (resource: unknown, work: (lock: object) => unknown) => {
        resources.push(resource);
        return work({});
      },
    };
    const module = await Test.createTestingModule({
      imports: [RedlockModule.forRoot({ nodes, isGlobal: true }), FeatureModule],
    })
      .overrideProvider(RedlockService)
      .useValue(stub)
      .compile();
    const reports = module.get(Reports, { strict: false });
    expect(reports.redlock).toBe(stub);
    await expect(reports.write()).resolves.toBe('written');
    expect(resources).toEqual([['report']]);
  });
});

describe('RedlockModule.forRootAsync', () => {
  let made = 0;

  @Injectable()
  class Settings implements RedlockOptionsFactory {
    constructor() {
      made += 1;
    }

    createRedlockOptions(): RedlockModuleOptions {
      return { nodes };
    }
  }

  @Module({ providers: [Settings], exports: [Settings] })
  class SettingsModule {}

  it('takes its options from a factory with dependencies', async () => {
    const async = RedlockModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: (settings: Settings) => settings.createRedlockOptions(),
    });
    expect((await build(async)).get(RedlockService)).toBeInstanceOf(RedlockService);
  });

  it('takes its options from a class that it makes', async () => {
    made = 0;
    const async = RedlockModule.forRootAsync({ useClass: Settings });
    expect((await build(async)).get(RedlockService)).toBeInstanceOf(RedlockService);
    expect(made).toBe(1);
  });

  it('takes its options from a provider that is there, and makes no second one', async () => {
    made = 0;
    const async = RedlockModule.forRootAsync({ imports: [SettingsModule], useExisting: Settings });
    const module = await build(async, SettingsModule);
    expect(module.get(RedlockService)).toBeInstanceOf(RedlockService);
    expect(made).toBe(1);
  });
});
