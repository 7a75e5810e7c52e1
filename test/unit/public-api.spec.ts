import * as api from '../../lib/index.js';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { ArgumentsHost, DynamicModule, ExecutionContext } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type {
  AcquirePath,
  Candidate,
  CurrentLeader,
  ExceptionFactory,
  IoredisClient,
  LeadOptions,
  LeaderWork,
  Lock,
  LockDecorator,
  LockEvent,
  LockKey,
  LockLossReason,
  LockOptions,
  NodeCredentials,
  NodeOptions,
  NodeOutcome,
  RedlockErrorCode,
  RedlockFactoryOptions,
  RedlockModuleExtras,
  RedlockModuleOptions,
  RedlockOptionsFactory,
  RedlockStatus,
  RefusalCode,
  StatusOptions,
  TermEnd,
  TypedWithLock,
  WithLockOptions,
} from '../../lib/index.js';
import type { Redis, RedisOptions } from 'ioredis';

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

  it('has these decorators', () => {
    expectTypeOf(api.WithLock).toEqualTypeOf<
      <const Key extends LockKey>(key: Key, options?: WithLockOptions) => LockDecorator<Key>
    >();
    expectTypeOf<LockDecorator<LockKey>>().toExtend<MethodDecorator>();
    expectTypeOf(api.createWithLock<{ id: string }>).returns.toEqualTypeOf<TypedWithLock<{ id: string }>>();
    expectTypeOf(api.createWithLock).parameters.toEqualTypeOf<[]>();
    expectTypeOf<LockKey>().toEqualTypeOf<
      | string
      | readonly string[]
      | ((...args: never[]) => string | number | bigint | readonly (string | number | bigint)[])
    >();
    expectTypeOf(api.CurrentLock).toEqualTypeOf<() => ParameterDecorator>();
    expect(api.WithLock('a')).toBeInstanceOf(Function);
  });

  it('has these errors', () => {
    expectTypeOf<RedlockErrorCode>().toEqualTypeOf<
      'RESOURCE_LOCKED' | 'QUORUM_NOT_REACHED' | 'LOCK_LOST' | 'LOCK_KEY' | 'CLOSED' | 'NO_SERVICE'
    >();
    expectTypeOf<api.RedlockError['code']>().toEqualTypeOf<RedlockErrorCode>();
    expectTypeOf<LockLossReason>().toEqualTypeOf<'nodes' | 'pause' | 'ttl' | 'max_hold' | 'shutdown' | 'released'>();
    expectTypeOf<api.LockLostError['reason']>().toEqualTypeOf<LockLossReason>();
    expectTypeOf<api.LockLostError['why']>().toEqualTypeOf<string>();
    expectTypeOf<api.ResourceLockedError['retryAfter']>().toEqualTypeOf<number>();
    expectTypeOf<api.QuorumNotReachedError['nodes']>().toEqualTypeOf<readonly NodeOutcome[]>();
    expect(new api.RedlockClosedError()).toBeInstanceOf(Error);
  });

  it('lets users make exceptions of errors', () => {
    expectTypeOf<WithLockOptions['exceptionFactory']>().toEqualTypeOf<ExceptionFactory | undefined>();
    expectTypeOf<RedlockModuleOptions['exceptionFactory']>().toEqualTypeOf<ExceptionFactory | undefined>();
    expectTypeOf<ExceptionFactory>().toEqualTypeOf<
      (error: api.RedlockError, context: ExecutionContext | ArgumentsHost | undefined) => unknown
    >();
    expect(() => api.WithLock('a', { exceptionFactory: (error) => new Error(error.code) })).not.toThrow();
  });

  it('has these events', () => {
    expectTypeOf<LockEvent['type']>().toEqualTypeOf<
      | 'acquired'
      | 'refused'
      | 'contended'
      | 'self-contended'
      | 'skipped'
      | 'joined'
      | 'extended'
      | 'lost'
      | 'released'
      | 'campaigning'
      | 'campaign-ended'
      | 'elected'
      | 'deposed'
      | 'term-failed'
      | 'node-up'
      | 'node-down'
      | 'node-quarantined'
      | 'node-trusted'
      | 'node-refused'
      | 'node-accepted'
      | 'quorum-lost'
      | 'quorum-reached'
      | 'node-warning'
      | 'hand-off-unavailable'
      | 'replayed'
      | 'kept'
      | 'unkept'
      | 'reused'
      | 'interrupted'
      | 'superseded'
      | 'tombstone'
      | 'thin-reply'
      | 'reply-differs'
      | 'unprotected'
      | 'unreadable'
    >();
    expectTypeOf<Extract<LockEvent, { fencingToken: number }>['type']>().toEqualTypeOf<
      'acquired' | 'lost' | 'released'
    >();
    expectTypeOf<TermEnd>().toEqualTypeOf<'resigned' | 'lost' | 'shutdown' | 'failed'>();
    expectTypeOf<AcquirePath>().toEqualTypeOf<'free' | 'hand-off' | 'local'>();
    expectTypeOf<RefusalCode>().toEqualTypeOf<RedlockErrorCode | 'ABORTED' | 'ERROR'>();
    const skipped: LockEvent = { type: 'skipped', resources: ['a'] };
    expect(skipped.type).toBe('skipped');
  });

  it('has these types, and no more', async () => {
    const source = await readFile(new URL('../../lib/index.ts', import.meta.url), 'utf8');
    const lists = [...source.matchAll(/export type \{([^}]*)\}/g)].map(([, names]) => names!.split(','));
    const names = lists.flat().map((name) => name.trim());
    expect(names.filter((name) => name !== '').sort()).toEqual([
      'AcquireMessage',
      'AcquireOutcome',
      'AcquirePath',
      'CallMessage',
      'Candidate',
      'CurrentLeader',
      'ExceptionFactory',
      'ExtendMessage',
      'HoldMessage',
      'IoredisClient',
      'LeadOptions',
      'LeaderMessage',
      'LeaderOptions',
      'LeaderWork',
      'Lock',
      'LockDecorator',
      'LockEvent',
      'LockHolder',
      'LockKey',
      'LockLossReason',
      'LockOptions',
      'NodeCredentials',
      'NodeMessage',
      'NodeOptions',
      'NodeOutcome',
      'NodeStatus',
      'OnceMessage',
      'OnceOutcome',
      'ProcessNote',
      'RedlockAsyncOptions',
      'RedlockErrorCode',
      'RedlockFactoryOptions',
      'RedlockModuleExtras',
      'RedlockModuleOptions',
      'RedlockOptionsFactory',
      'RedlockStatus',
      'RefusalCode',
      'ReplyEvent',
      'RequestMessage',
      'StatusOptions',
      'StopWork',
      'Term',
      'TermEnd',
      'TypedWithLock',
      'WithLockOptions',
    ]);
    // Whatever stands there besides would be in neither list.
    expect(source.replaceAll(/export (type )?\{[^}]*\} from '[^']*';/g, '').trim()).toBe('');
  });
});
const withNumber = (service: api.RedlockService): Promise<number> => service.withLock('a', async () => 5);

/** What a node may be described by; all else is refused. */
type AllowedOptions = Pick<
  RedisOptions,
  | 'host'
  | 'port'
  | 'path'
  | 'family'
  | 'db'
  | 'username'
  | 'password'
  | 'tls'
  | 'protocol'
  | 'connectionName'
  | 'connectTimeout'
  | 'disconnectTimeout'
  | 'keepAlive'
  | 'noDelay'
  | 'clientInfoTag'
  | 'disableClientInfo'
  | 'showFriendlyErrorStack'
  | 'sentinels'
  | 'name'
  | 'sentinelUsername'
  | 'sentinelPassword'
  | 'sentinelTLS'
  | 'enableTLSForSentinelMode'
  | 'updateSentinels'
  | 'natMap'
>;

interface Credentials {
  username?: string | undefined;
  password?: string | undefined;
  tls?: RedisOptions['tls'];
}

describe('the public surface', () => {
  // The types are checked by the compiler (npm run typecheck).
  it('has these options of a node', () => {
    expectTypeOf<Omit<NodeOptions, 'credentials'>>().toEqualTypeOf<AllowedOptions>();
    expectTypeOf<NonNullable<NodeOptions['credentials']>>().toEqualTypeOf<() => Credentials | Promise<Credentials>>();
    expectTypeOf<NodeCredentials>().toEqualTypeOf<Credentials>();
    expectTypeOf<RedlockModuleOptions['nodes']>().toEqualTypeOf<(string | NodeOptions | IoredisClient)[] | undefined>();
  });

  it('takes clients of ioredis, whose options may be those of another version', () => {
    interface OldOptions {
      host?: string;
      dropBufferSupport?: boolean;
    }
    interface OldClient {
      options: OldOptions;
      status: string;
      duplicate(override?: Partial<OldOptions>): OldClient;
    }
    expectTypeOf<Redis>().toExtend<IoredisClient>();
    expectTypeOf<OldClient>().toExtend<IoredisClient>();
    expectTypeOf<string>().not.toExtend<IoredisClient>();
  });
});
