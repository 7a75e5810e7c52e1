import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { DynamicModule } from '@nestjs/common';
import type { Observable } from 'rxjs';
import * as api from '../../lib/index.js';
import type {
  Candidate,
  CurrentLeader,
  LeaderWork,
  LeadOptions,
  Lock,
  LockEvent,
  LockOptions,
  RedlockModuleExtras,
  RedlockModuleOptions,
  RedlockFactoryOptions,
  RedlockOptionsFactory,
  RedlockStatus,
  StatusOptions,
  WithLockOptions,
} from '../../lib/index.js';

describe('the public surface', () => {
  it('is this, and nothing more', () => {
    expect(Object.keys(api).sort()).toEqual([
      'CurrentLock',
      'InjectRedlock',
      'Leader',
      'LockKeyError',
      'LockLostError',
      'QuorumNotReachedError',
      'RedlockClosedError',
      'RedlockError',
      'RedlockExceptionFilter',
      'RedlockModule',
      'RedlockService',
      'ResourceLockedError',
      'WithLock',
      'createWithLock',
      'getRedlockToken',
    ]);
  });

  // The types are checked by the compiler (npm run typecheck).
  it('has these options', () => {
    expectTypeOf<keyof RedlockModuleOptions>().toEqualTypeOf<
      | 'nodes'
      | 'enabled'
      | 'logKeys'
      | 'application'
      | 'keyPrefix'
      | 'maxTtl'
      | 'restartQuarantine'
      | 'waitForQuorum'
      | 'nodeTimeout'
      | 'shutdownTimeout'
      | 'maxWaiters'
      | 'maxResources'
      | 'defaults'
      | 'exceptionFactory'
    >();
    expectTypeOf<keyof RedlockModuleExtras>().toEqualTypeOf<'isGlobal' | 'name'>();
    expectTypeOf<Required<LockOptions>>().toEqualTypeOf<{
      ttl: number;
      waitTimeout: number;
      quorumTimeout: number;
      retryCount: number;
      retryDelay: number;
      retryJitter: number;
      driftFactor: number;
      autoExtend: boolean;
      maxHold: number;
      minHold: number;
      reentrant: boolean;
      limit: number;
      take: 1 | 'all';
      label: string;
      signal: AbortSignal;
    }>();
    expectTypeOf<WithLockOptions>().toExtend<LockOptions>();
    expectTypeOf<WithLockOptions['onContended']>().toEqualTypeOf<'wait' | 'reject' | 'skip' | 'join' | undefined>();
    expectTypeOf<WithLockOptions['name']>().toEqualTypeOf<string | undefined>();
    const options: Required<RedlockModuleOptions & RedlockModuleExtras> = {
      nodes: [
        'redis://10.0.0.1',
        { host: '10.0.0.2' },
        { host: '10.0.0.3', credentials: async () => ({ password: 'token' }) },
      ],
      enabled: true,
      logKeys: true,
      application: 'orders',
      keyPrefix: 'app:',
      maxTtl: 30_000,
      restartQuarantine: true,
      waitForQuorum: 60_000,
      nodeTimeout: 50,
      shutdownTimeout: 5_000,
      maxWaiters: 100,
      maxResources: 100,
      defaults: { ttl: 10_000 },
      exceptionFactory: (error, context) => new Error(`${error.code} ${context?.getType()}`),
      isGlobal: true,
      name: 'reports',
    };
    expect(() => api.RedlockModule.forRoot(options)).not.toThrow();
  });

  it('has these ways to register', () => {
    expectTypeOf(api.RedlockModule.forRoot)
      .parameter(0)
      .toEqualTypeOf<RedlockModuleOptions & Partial<RedlockModuleExtras>>();
    expectTypeOf(api.RedlockModule.forRoot).returns.toEqualTypeOf<DynamicModule>();
    expectTypeOf(api.RedlockModule.forRootAsync).returns.toEqualTypeOf<DynamicModule>();
    expectTypeOf<RedlockOptionsFactory>().toEqualTypeOf<{
      createRedlockOptions(): RedlockFactoryOptions | Promise<RedlockFactoryOptions>;
    }>();
    expectTypeOf(api.getRedlockToken).toEqualTypeOf<(name?: string) => string>();
    expectTypeOf(api.InjectRedlock).toEqualTypeOf<(name?: string) => PropertyDecorator & ParameterDecorator>();
    expect(api.RedlockModule.forRoot).toHaveLength(1);
  });

  it('has this service and this lock', () => {
    type Service = api.RedlockService;
    type Resource = string | readonly string[];
    expectTypeOf<Service['acquire']>().toEqualTypeOf<(resource: Resource, options?: LockOptions) => Promise<Lock>>();
    expectTypeOf<Service['tryAcquire']>().toEqualTypeOf<
      (resource: Resource, options?: LockOptions) => Promise<Lock | null>
    >();
    expectTypeOf((service: Service) => service.key('user:<0>', 'a')).returns.toEqualTypeOf<string>();
    expectTypeOf((service: Service) => service.key(['a:<0>', 'b:<1>'], 1, 2n)).returns.toEqualTypeOf<
      readonly string[]
    >();
    expectTypeOf<Parameters<Service['key']>>().toEqualTypeOf<[readonly string[], ...unknown[]]>();
    expectTypeOf<Service['events$']>().toEqualTypeOf<Observable<LockEvent>>();
    expectTypeOf<Service['status']>().toEqualTypeOf<(options?: StatusOptions) => Promise<RedlockStatus>>();
    expectTypeOf<Service['lead']>().toEqualTypeOf<
      (name: string, work: LeaderWork, options?: LeadOptions) => Candidate
    >();
    expectTypeOf<Service['leader']>().toEqualTypeOf<(name: string) => Promise<CurrentLeader | null>>();
    expectTypeOf<Awaited<ReturnType<typeof withNumber>>>().toEqualTypeOf<number>();
    expectTypeOf<keyof Lock>().toEqualTypeOf<
      | 'resources'
      | 'value'
      | 'fencingToken'
      | 'slot'
      | 'validity'
      | 'isValid'
      | 'signal'
      | 'assertValid'
      | 'extend'
      | 'release'
      | typeof Symbol.asyncDispose
    >();
    expectTypeOf<Lock['slot']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Lock['resources']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Lock>().toExtend<AsyncDisposable>();
    expect(Object.getOwnPropertyNames(api.RedlockService.prototype)).toEqual(
      expect.arrayContaining(['acquire', 'tryAcquire', 'withLock', 'key', 'lead', 'leader', 'status']),
    );
  });
});
const withNumber = (service: api.RedlockService): Promise<number> => service.withLock('a', async () => 5);
