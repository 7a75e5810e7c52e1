import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { RedlockModule } from '../../lib/redlock.module.js';
import type { RedlockModuleOptions } from '../../lib/redlock.options.js';
import { RedlockService } from '../../lib/redlock.service.js';
import { RedlockTestingModule } from '../../lib/testing/redlock-testing.module.js';

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
