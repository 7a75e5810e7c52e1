import { ConfigurableModuleBuilder, type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { systemRandom } from './engine/random.js';
import type { Clock } from './engine/clock.js';
import type { LockNode } from './engine/lock-node.js';
import { markOf } from './engine/process-mark.js';
import { MAX_TTL, invalidValue } from './engine/options.js';
import { steadyClock, SystemClock } from './engine/system-clock.js';
import { uniqueMark } from './engine/redlock.js';
import { MemoryNode } from './memory/memory-node.js';
import { connectionNameOf } from './redis/connection/settings/connection-settings.js';
import { type NodeAddress, toAddresses } from './redis/connection/settings/node-address.js';
import { BatchEncoder, channelOf } from './redis/codec.js';
import { RedisNode } from './redis/redis-node.js';
import { secondsIn, warnOfNodes } from './start-up/node-warnings.js';
import { POOL_MAKER, type PoolMaker, poolOf, thisProcess } from './start-up/pool-names.js';
import { checkAsyncOptions, readModuleOptions, type RedlockModuleOptions } from './redlock.options.js';
import { RedlockService } from './redlock.service.js';
import { getRedlockToken } from './redlock.tokens.js';
import { planCheckFor } from './with-lock/check/plan-check.js';
import { globalFilterFor } from './with-lock/redlock-exception.filter.js';
import { leadersFor } from './leader/leaders.js';
import { SafeLogger } from './logging/safe-logger.js';
import { coded } from './engine/codes.js';

/** The options that a factory returns. Write `isGlobal` and `name` beside `useFactory`, because the module needs them earlier. */
export type RedlockFactoryOptions = RedlockModuleOptions & { isGlobal?: never; name?: never };

/** What a class for `useClass` or `useExisting` of `forRootAsync` implements. */
export interface RedlockOptionsFactory {
  /** Returns the options of the pool. */
  createRedlockOptions(): RedlockFactoryOptions | Promise<RedlockFactoryOptions>;
}

/** Options of `RedlockModule` that Nest needs before a factory runs. */
export interface RedlockModuleExtras {
  /** Makes the pool visible to all modules. @default false */
  isGlobal?: boolean;
  /** The name of the pool, if an application has several pools. @default the pool without a name */
  name?: string;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<RedlockModuleOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createRedlockOptions')
    .setExtras<RedlockModuleExtras>({ isGlobal: false, name: undefined }, withPool)
    .build();

/** The argument of `RedlockModule.forRootAsync`: one of `useFactory`, `useClass` and `useExisting`. */
export type RedlockAsyncOptions = Omit<typeof ASYNC_OPTIONS_TYPE, 'useFactory' | 'useClass' | 'useExisting'> & {
  /** Returns the options. Its arguments are the providers in `inject`. */
  // eslint-disable-next-line typescript/no-explicit-any
  useFactory?: (...injected: any[]) => RedlockFactoryOptions | Promise<RedlockFactoryOptions>;
  /** A class that Nest instantiates, and whose `createRedlockOptions` returns the options. */
  useClass?: Type<RedlockOptionsFactory>;
  /** A provider of your application whose `createRedlockOptions` returns the options. */
  useExisting?: Type<RedlockOptionsFactory>;
};

/** Adds the pool to the module definition. It happens here, because Nest passes the name of the pool to no other function. */
function withPool(definition: DynamicModule, { isGlobal = false, name }: RedlockModuleExtras): DynamicModule {
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw invalidValue('RedlockModule: name', name, 'the name of a pool, or left out');
  if (typeof isGlobal !== 'boolean') throw invalidValue('RedlockModule: isGlobal', isGlobal, 'true or false');
  const tokens = name === undefined ? [RedlockService, getRedlockToken()] : [getRedlockToken(name)];
  const [token, alias] = tokens;
  const make = (options: RedlockModuleOptions, maker?: PoolMaker): RedlockService => toService(options, name, maker);
  const inject = [MODULE_OPTIONS_TOKEN, { token: POOL_MAKER, optional: true }];
  const pool: Provider[] = [{ provide: token!, useFactory: make, inject }];
  if (alias !== undefined) pool.push({ provide: alias, useExisting: token! });
  return {
    ...definition,
    global: isGlobal,
    providers: [...(definition.providers ?? []), ...pool, planCheckFor(name), leadersFor(name), globalFilterFor(name)],
    exports: tokens,
  };
}

function toService(given: RedlockModuleOptions, name: string | undefined, maker?: PoolMaker): RedlockService {
  const options = readModuleOptions(given);
  const isOnRedis = options.enabled !== false;
  if (maker) {
    if (isOnRedis) toAddresses(options.nodes);
    return maker.make(name, options);
  }
  const clock = isOnRedis ? new SystemClock() : steadyClock();
  const where = 'RedlockModule';
  for (const warning of [...secondsIn(options, where), ...secondsIn(options.defaults, `${where}: defaults`)])
    new SafeLogger(RedlockModule.name).warn(warning);
  const nodes = isOnRedis ? onRedis(options, clock, name) : inThisProcess(options, clock, name);
  const mark = uniqueMark(markOf(thisProcess(options.application)), systemRandom);
  return new RedlockService(nodes, options, { clock, name, mark });
}

/** The values of `NODE_ENV` with which a pool may ignore restarts of its nodes without a warning. */
const IN_DEVELOPMENT: readonly string[] = ['development', 'test'];

function onRedis(options: RedlockModuleOptions, clock: Clock, name: string | undefined): LockNode[] {
  const { nodes, keyPrefix = 'lock:', maxTtl = MAX_TTL, restartQuarantine = true } = options;
  const addresses = toAddresses(nodes);
  warnOfNodes(new SafeLogger(RedlockModule.name), addresses, options);
  if (!restartQuarantine) warnOfNoQuarantine(name);
  const channel = channelOf(keyPrefix, systemRandom.id());
  const encoder = new BatchEncoder({ keyPrefix, channel, maxTtl, restartQuarantine });
  const { application } = thisProcess(options.application);
  return addresses.map((address) => new RedisNode(named(address, application), encoder, clock));
}

/** Returns the address with a name for the connection to it, unless the address says another one. */
function named(address: NodeAddress, application: string): NodeAddress {
  const { connectionName = connectionNameOf(application) } = address.options;
  return { ...address, options: { ...address.options, connectionName } };
}

function inThisProcess({ maxTtl = MAX_TTL }: RedlockModuleOptions, clock: Clock, name: string | undefined): LockNode[] {
  const text = `Locks of ${poolOf(name)} are DISABLED (enabled: false). They hold within this process only, and not across replicas`;
  new SafeLogger(RedlockModule.name).warn(coded('REDLOCK_W18', text));
  return [new MemoryNode('this process', clock, { maxTtl })];
}

/** Warns unless `NODE_ENV` names development or tests: if it says nothing, this may be production. */
function warnOfNoQuarantine(name: string | undefined): void {
  const { NODE_ENV } = process.env;
  if (NODE_ENV !== undefined && IN_DEVELOPMENT.includes(NODE_ENV)) return;
  const where = NODE_ENV ? `NODE_ENV is "${NODE_ENV}"` : 'NODE_ENV is not set';
  const text =
    `restartQuarantine is false for ${poolOf(name)}, and ${where}. Restarted or emptied nodes vote at once, and two callers may get one ` +
    'lock. In production, leave restartQuarantine on. Elsewhere, set NODE_ENV to "development" or "test"';
  new SafeLogger(RedlockModule.name).warn(coded('REDLOCK_W19', text));
}

/** Registers a pool of nodes, and provides the `RedlockService` of the pool. */
@Module({})
export class RedlockModule extends ConfigurableModuleClass {
  /**
   * Registers a pool with these options.
   * @throws TypeError, RangeError for wrong options
   * @example
   * ```ts
   * RedlockModule.forRoot({ nodes: ['redis://10.0.0.1', 'redis://10.0.0.2', 'redis://10.0.0.3'], isGlobal: true })
   * ```
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    const read = readModuleOptions(options, ['isGlobal', 'name']);
    if (read.enabled !== false) toAddresses(read.nodes);
    const { isGlobal, name } = options;
    // What was read, because Nest copies an object of a class without its getters.
    return super.forRoot({ ...read, isGlobal, name });
  }

  /**
   * Registers a pool whose options come from a factory, a class or a provider.
   * @throws TypeError if none of `useFactory`, `useClass` and `useExisting` says where the options come from
   * @example
   * ```ts
   * RedlockModule.forRootAsync({ inject: [Settings], useFactory: (settings: Settings) => ({ nodes: settings.nodes }) })
   * ```
   */
  static override forRootAsync(options: RedlockAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    return super.forRootAsync(options);
  }
}
