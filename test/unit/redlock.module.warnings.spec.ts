import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { RedlockModule } from '../../lib/redlock.module.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { RedlockTestingModule } from '../../lib/testing/index.js';
import { WithLock } from '../../lib/with-lock/with-lock.decorator.js';

/** Nobody connects to the nodes: a module connects when it is initialised, and most of these tests only build it. */
const SENTINEL = { sentinels: [{ host: '10.0.0.9' }], name: 'mymaster' };

describe('RedlockModule', () => {
  let warnings: unknown[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void warnings.push(line));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const build = (options: object, ...others: object[]): Promise<TestingModule> => {
    const useFactory = async (): Promise<RedlockModuleOptions> => options;
    const imports = [RedlockModule.forRootAsync({ useFactory }), ...(others as [])];
    return Test.createTestingModule({ imports }).compile();
  };

  it('locks by settings that are texts, as ConfigService gives them', async () => {
    const environment = { enabled: 'false', maxTtl: '70000', defaults: { ttl: '60000', driftFactor: '0.05' } };
    const module = await build(environment);
    const lock = await module.get(RedlockService).acquire('a');
    expect(lock.validity).toBeGreaterThan(55_000);
    expect(lock.validity).toBeLessThanOrEqual(57_000);
    await module.close();
  });

  it('reads texts also under RedlockTestingModule, in the options of the application and of the test', async () => {
    const application = { nodes: [{ host: '10.0.0.1', port: '6379', db: '1' }], defaults: { ttl: '9000' } };
    const options = { maxTtl: '10000' } as object;
    const module = await build(application, RedlockTestingModule.forRoot(options));
    const lock = await module.get(RedlockService).acquire('a');
    expect(lock.validity).toBeGreaterThan(8_000);
    await expect(module.get(RedlockService).acquire('b', { ttl: 10_001 })).rejects.toThrow(/at most maxTtl, 10000 ms/);
    await module.close();
  });

  it('does not read texts in the options of a call, which are no settings', async () => {
    const module = await build({ enabled: false });
    const options = { ttl: '5000' } as object;
    await expect(module.get(RedlockService).acquire('a', options)).rejects.toThrow(/ttl must be .*got '5000'/);
    await module.close();
  });

  it('takes a client of ioredis with forRoot and forRootAsync, and never connects or listens to the client', async () => {
    const client = new Redis('redis://10.0.0.1', { lazyConnect: true });
    const connect = jest.spyOn(client, 'connect');
    await build({ nodes: [client] });
    await Test.createTestingModule({ imports: [RedlockModule.forRoot({ nodes: [client] })] }).compile();
    expect([client.status, client.eventNames(), connect.mock.calls]).toEqual(['wait', [], []]);
    expect(warnings).toEqual([]);
  });

  it('warns that locks do not have the keyPrefix of a client, unless the module has one', async () => {
    const nodes = [new Redis('redis://10.0.0.1', { lazyConnect: true, keyPrefix: 'app:' })];
    await build({ nodes, keyPrefix: 'lock:' });
    expect(warnings).toEqual([]);
    await build({ nodes });
    expect(warnings).toEqual([
      'The keyPrefix "app:" of the client for redis://10.0.0.1:6379 is not used for locks. Set keyPrefix of RedlockModule. ' +
        'Otherwise all applications on this node share the locks under "lock:" [REDLOCK_W17]',
    ]);
  });

  it('warns what a failover means if its only node is a master of Sentinel', async () => {
    await build({ nodes: [SENTINEL], maxTtl: 60_000 });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^redis-sentinel:\/\/10\.0\.0\.9:26379\/mymaster is a master of Sentinel\. A failover forgets locks, so there are no locks for 60000 ms \(maxTtl\) after a failover\. .* \[REDLOCK_W16\]$/,
      ),
    ]);
  });
});

/** Nobody connects to them: a module connects when it is initialised, and these tests only build it. */
const nodes = ['redis://10.0.0.1', 'redis://10.0.0.2', 'redis://10.0.0.3'];

describe('restartQuarantine: false', () => {
  const { NODE_ENV } = process.env;
  let lines: unknown[];
  const build = async (
    environment: string | undefined,
    options: Partial<RedlockModuleOptions>,
    name?: string,
  ): Promise<void> => {
    if (environment === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = environment;
    await Test.createTestingModule({ imports: [RedlockModule.forRoot({ nodes, ...options, name })] }).compile();
  };

  beforeEach(() => {
    lines = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(line));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env['NODE_ENV'] = NODE_ENV;
  });

  it.each([
    ['production', /NODE_ENV is "production"\. Restarted or emptied nodes vote at once.* \[REDLOCK_W19\]$/],
    ['staging', /NODE_ENV is "staging"/],
    ['', /NODE_ENV is not set/],
    [undefined, /NODE_ENV is not set/],
  ])('is a warning once if NODE_ENV is %s', async (environment, words) => {
    await build(environment, { restartQuarantine: false });
    expect(lines).toEqual([expect.stringMatching(words)]);
  });

  it('names the pool', async () => {
    await build('production', { restartQuarantine: false }, 'billing');
    expect(lines).toEqual([expect.stringMatching(/is false for pool "billing"/)]);
  });

  it.each<[string, string | undefined, Partial<RedlockModuleOptions>]>([
    ['it says development', 'development', { restartQuarantine: false }],
    ['it says test', 'test', { restartQuarantine: false }],
    ['the quarantine is on', 'production', { restartQuarantine: true }],
    ['nothing is said of the quarantine, which is on then', undefined, {}],
  ])('is no warning if %s', async (_case, environment, options) => {
    await build(environment, options);
    expect(lines).toEqual([]);
  });
});

@Injectable()
class Reports {
  @WithLock('report', { ttl: 30, waitTimeout: 0 })
  async make(): Promise<void> {}

  @WithLock('nightly', { ttl: 30_000, onContended: 'skip' })
  async nightly(): Promise<void> {}
}

describe('a duration that looks like seconds', () => {
  let warnings: jest.SpiedFunction<Logger['warn']>;
  beforeEach(() => void (warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined)));
  afterEach(() => warnings.mockRestore());

  const warned = async (pool: Parameters<typeof Module>[0]['imports']): Promise<string[]> => {
    const module = await Test.createTestingModule({ imports: pool!, providers: [Reports] }).compile();
    await module.close();
    return warnings.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('seconds?'));
  };

  it('is warned of once, in options of the module, its defaults and a decorator', async () => {
    const options = { enabled: false, maxTtl: 60_000, defaults: { ttl: 20, waitTimeout: 8 } };
    expect(await warned([RedlockModule.forRoot(options)])).toEqual([
      'RedlockModule: defaults: ttl is 20 ms; seconds? All durations are milliseconds [REDLOCK_W14]',
      'RedlockModule: defaults: waitTimeout is 8 ms; seconds? All durations are milliseconds [REDLOCK_W14]',
      '@WithLock on Reports.make: ttl is 30 ms; seconds? All durations are milliseconds [REDLOCK_W14]',
    ]);
  });

  it('is not warned of in a test without Redis', async () => {
    expect(await warned([RedlockTestingModule.forRoot({ defaults: { ttl: 20 } })])).toEqual([]);
  });
});
