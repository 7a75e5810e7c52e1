import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule, RedlockService, type NodeCredentials, type RedlockModuleOptions } from 'nestjs-redlock';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

describe('credentials() of the nodes of an application', () => {
  let servers: RedisServer[];
  let module: TestingModule | undefined;
  beforeEach(async () => {
    servers = await startRedisServers(3);
    for (const { url } of servers) await withRedis(url, (redis) => redis.config('SET', 'requirepass', 's3cret'));
  });
  afterEach(async () => {
    await module?.close();
    module = undefined;
    await stopAll();
  });

  const options = (credentials: () => Promise<NodeCredentials>): RedlockModuleOptions => ({
    nodes: servers.map(({ host, port }) => ({ host, port, credentials })),
    nodeTimeout: 3_000,
    restartQuarantine: false,
  });

  it.each<[string, (made: RedlockModuleOptions) => ReturnType<typeof RedlockModule.forRoot>]>([
    ['forRoot', (made) => RedlockModule.forRoot(made)],
    ['forRootAsync', (made) => RedlockModule.forRootAsync({ useFactory: () => made })],
  ])('are asked for once for each node by %s', async (_name, register) => {
    let calls = 0;
    const credentials = async (): Promise<NodeCredentials> => {
      calls += 1;
      return { password: 's3cret' };
    };
    module = await Test.createTestingModule({ imports: [register(options(credentials))] }).compile();
    await module.init();
    const redlock = module.get(RedlockService);
    await expect(redlock.withLock('a', (lock) => lock.isValid)).resolves.toBe(true);
    expect([calls, (await redlock.status()).nodes.every(({ votes }) => votes)]).toEqual([3, true]);
  });

  it('are refused beside a password, at the start', () => {
    const nodes = [{ host: 'a', password: 's3cret', credentials: () => ({ password: 's3cret' }) }];
    expect(() => RedlockModule.forRoot({ nodes })).toThrow(
      /^nodes\[0\]\.credentials is refused beside username and password/,
    );
  });
});
