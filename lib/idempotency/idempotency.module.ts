import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { mistake } from '../engine/codes.js';
import { invalidValue } from '../engine/options.js';
import type { RedlockService } from '../redlock.service.js';
import { EMIT, getRedlockToken } from '../redlock.tokens.js';
import { GlobalIdempotencyExceptionFilter } from './idempotency-exception.filter.js';
import { getIdempotencyToken, Idempotency } from './idempotency.js';
import { checkModuleOptions, KEEP, type RedlockIdempotencyOptions } from './idempotency.options.js';
import { idempotentCheckFor } from './idempotent-check.js';
import { IdempotentInterceptor } from './idempotent.interceptor.js';
import { OnceRunner } from './run-once.js';
import { NodesStore } from './stores/nodes-store.js';

/** Options of `RedlockIdempotencyModule` that Nest needs before a factory runs. */
export interface RedlockIdempotencyExtras {
  /** Makes `Idempotency` visible to all modules. @default false */
  isGlobal?: boolean;
  /** The name of the pool. @default the pool without a name */
  name?: string;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<RedlockIdempotencyOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createRedlockIdempotencyOptions')
    .setExtras<RedlockIdempotencyExtras>({ isGlobal: false, name: undefined }, withIdempotency)
    .build();

function withIdempotency(
  definition: DynamicModule,
  { isGlobal = false, name }: RedlockIdempotencyExtras,
): DynamicModule {
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw invalidValue('RedlockIdempotencyModule: name', name, 'the name of a pool, or left out');
  const token = getIdempotencyToken(name);
  const make = (options: RedlockIdempotencyOptions, modules: ModuleRef): Idempotency =>
    toIdempotency(options, modules, name);
  return {
    ...definition,
    global: isGlobal,
    providers: [
      ...(definition.providers ?? []),
      { provide: token, useFactory: make, inject: [MODULE_OPTIONS_TOKEN, ModuleRef] },
      ...(name === undefined ? [{ provide: Idempotency, useExisting: token }] : []),
      outermostFor(name),
      idempotentCheckFor(name),
      GlobalIdempotencyExceptionFilter,
    ],
    exports: name === undefined ? [Idempotency, token] : [token],
  };
}

/**
 * Puts the interceptor in front of all others: Nest makes this provider before it adds an `APP_INTERCEPTOR`, and before `main.ts` can call
 * `app.useGlobalInterceptors()`.
 */
function outermostFor(name: string | undefined): Provider {
  return {
    provide: Symbol.for(`nestjs-redlock:idempotent:${name ?? ''}`),
    useFactory: (config: ApplicationConfig, idempotency: Idempotency, host: HttpAdapterHost) => {
      config.useGlobalInterceptors(new IdempotentInterceptor(idempotency, host, name));
      return {
        onModuleInit: () => void idempotency.runner,
        onApplicationShutdown: () => idempotency.runner.close(),
      } satisfies OnModuleInit & OnApplicationShutdown;
    },
    inject: [ApplicationConfig, getIdempotencyToken(name), HttpAdapterHost],
  };
}

function toIdempotency(given: RedlockIdempotencyOptions, modules: ModuleRef, name: string | undefined): Idempotency {
  const { store, encrypt, secret, ...options } = checkModuleOptions(given);
  const keep = store?.keepIn === undefined ? KEEP.onNodes : KEEP.inDatabase;
  return new Idempotency(
    () => {
      const service = serviceOf(modules, name);
      const kept = store ?? new NodesStore(service);
      if (kept instanceof NodesStore) kept.tell = (event) => service[EMIT](event);
      const { maxBytes = 0 } = options;
      const { maxRecordBytes: most = Infinity } = kept;
      if (maxBytes > most)
        throw invalidValue('RedlockIdempotencyModule: maxBytes', maxBytes, `at most ${most}, as nodes keep no more`);
      return new OnceRunner({ service, store: kept, encrypt, pool: name });
    },
    { ...keep, ...options },
    secret,
  );
}

function serviceOf(modules: ModuleRef, name: string | undefined): RedlockService {
  try {
    return modules.get<RedlockService>(getRedlockToken(name), { strict: false });
  } catch (cause) {
    const options = name === undefined ? '{ nodes }' : `{ name: '${name}', nodes }`;
    throw mistake(
      'REDLOCK_E12',
      `RedlockIdempotencyModule needs RedlockModule.forRoot(${options}) among the imports of the application`,
      { cause },
    );
  }
}

/** Keeps replies for handlers with `@Idempotent` and for `Idempotency.once`. The locks come from the pool of `RedlockModule`. */
@Module({})
export class RedlockIdempotencyModule extends ConfigurableModuleClass {
  /**
   * Keeps replies with these options.
   * @throws TypeError, RangeError for wrong options
   * @example
   * ```ts
   * RedlockIdempotencyModule.forRoot({ principal: '<user.id>' })
   * ```
   */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    const { isGlobal: _isGlobal, name: _name, ...own } = options;
    checkModuleOptions(own);
    return super.forRoot(options);
  }

  /** Keeps replies with options of a factory, a class or a provider, like `RedlockModule.forRootAsync`. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }
}
