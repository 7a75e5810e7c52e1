import { type DynamicModule, type InjectionToken, Module, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { POOL_MAKER } from '../start-up/pool-names.js';
import { leadersFor } from '../leader/leaders.js';
import { planCheckFor } from '../with-lock/check/plan-check.js';
import { globalFilterFor } from '../with-lock/redlock-exception.filter.js';
import { readTestingOptions, type RedlockTestingOptions } from './redlock-testing.options.js';
import { RedlockTesting } from './redlock-testing.js';
import { TestingPools } from './pools/testing-pools.js';

/** Global, so that each `RedlockModule` of the application finds its providers. */
@Module({})
class RedlockTestingCoreModule {}

/** Puts all pools of an application on nodes in memory, and provides `RedlockService` and `RedlockTesting`. */
@Module({})
export class RedlockTestingModule {
  /**
   * Puts the pools on nodes in memory.
   * @throws TypeError, RangeError for wrong options
   * @example
   * ```ts
   * Test.createTestingModule({ imports: [AppModule, RedlockTestingModule.forRoot()] })
   * ```
   */
  static forRoot(given: RedlockTestingOptions = {}): DynamicModule {
    const options = readTestingOptions(given);
    const { pools = [], isGlobal = false } = options;
    const alias = { provide: getRedlockToken(), useExisting: RedlockService };
    return {
      module: RedlockTestingModule,
      global: isGlobal,
      imports: [coreOf(options)],
      providers: [
        providerOf(RedlockService, undefined),
        alias,
        ...pools.map((name) => providerOf(getRedlockToken(name), name)),
        ...[undefined, ...pools].flatMap((name) => {
          const applies = (modules: ModulesContainer): boolean => !hasModule(modules, name);
          return [planCheckFor(name, applies), leadersFor(name, applies)];
        }),
        ...[undefined, ...pools].map(globalFilterFor),
      ],
      exports: [RedlockService, getRedlockToken(), ...pools.map((name) => getRedlockToken(name))],
    };
  }
}

function coreOf(options: RedlockTestingOptions): DynamicModule {
  return {
    module: RedlockTestingCoreModule,
    global: true,
    providers: [
      // A factory, so that each application has pools of its own, even if several applications are made from one module.
      { provide: TestingPools, useFactory: () => new TestingPools(options) },
      { provide: POOL_MAKER, useExisting: TestingPools },
      {
        provide: RedlockTesting,
        useFactory: (pools: TestingPools) => new RedlockTesting(pools),
        inject: [TestingPools],
      },
    ],
    exports: [TestingPools, POOL_MAKER, RedlockTesting],
  };
}

/** Returns whether the application registers the pool itself; its `RedlockModule` then also checks the methods that lock on the pool. */
function hasModule(modules: ModulesContainer, name: string | undefined): boolean {
  return isRegistered(modules, name === undefined ? RedlockService : getRedlockToken(name));
}

/** Provides the service that the application registers under the token, or one of our own if it registers none. */
function providerOf(token: InjectionToken, name: string | undefined): Provider {
  return {
    provide: token,
    useFactory: (pools: TestingPools, modules: ModulesContainer) =>
      isRegistered(modules, token) ? pools.registered(name) : pools.make(name, {}),
    inject: [TestingPools, ModulesContainer],
  };
}

/** Returns whether some module has a provider for the token that leaves making the pool to the `PoolMaker`, as those of `RedlockModule` do. */
function isRegistered(modules: ModulesContainer, token: InjectionToken): boolean {
  return [...modules.values()].some(({ providers }) =>
    providers
      .get(token)
      ?.inject?.some((wanted) => typeof wanted === 'object' && 'token' in wanted && wanted.token === POOL_MAKER),
  );
}
