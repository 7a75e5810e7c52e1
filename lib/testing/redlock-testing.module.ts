import { Module, type DynamicModule, type InjectionToken, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { RedlockService } from '../redlock.service.js';
import { getRedlockToken } from '../redlock.tokens.js';
import { POOL_MAKER } from '../pool-maker.js';
import { planCheckFor } from '../with-lock/check/plan-check.js';
import { RedlockExceptionFilter } from '../with-lock/redlock-exception.filter.js';
import { checkTestingOptions, type RedlockTestingOptions } from './redlock-testing.options.js';
import { RedlockTesting } from './redlock-testing.js';
import { TestingPools } from './pools/testing-pools.js';

/** Visible to all modules, so that each `RedlockModule` of the application finds it. */
@Module({})
class RedlockTestingCoreModule {}

/** Provides `RedlockService` over nodes in memory; a `RedlockModule` of the same application has its pools there too. */
@Module({})
export class RedlockTestingModule {
  /**
   * @throws TypeError, RangeError for wrong options
   * @example
   * ```ts
   * Test.createTestingModule({ imports: [AppModule, RedlockTestingModule.forRoot()] })
   * ```
   */
  static forRoot(options: RedlockTestingOptions = {}): DynamicModule {
    checkTestingOptions(options);
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
        ...[undefined, ...pools].map((name) => planCheckFor(name, (modules) => !hasModule(modules, name))),
        RedlockExceptionFilter,
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
      // One for each application, also where several are made of one module.
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

/** Whether the application registers the pool itself, and looks at its methods. */
function hasModule(modules: ModulesContainer, name: string | undefined): boolean {
  return isRegistered(modules, name === undefined ? RedlockService : getRedlockToken(name));
}

/** The service that the application registers under the token; where it registers none, one of our own. */
function providerOf(token: InjectionToken, name: string | undefined): Provider {
  return {
    provide: token,
    useFactory: (pools: TestingPools, modules: ModulesContainer) =>
      isRegistered(modules, token) ? pools.registered(name) : pools.make(name, {}),
    inject: [TestingPools, ModulesContainer],
  };
}

/** Whether some module has a provider for the token that has us make the pool. */
function isRegistered(modules: ModulesContainer, token: InjectionToken): boolean {
  return [...modules.values()].some(({ providers }) =>
    providers
      .get(token)
      ?.inject?.some((wanted) => typeof wanted === 'object' && 'token' in wanted && wanted.token === POOL_MAKER),
  );
}
