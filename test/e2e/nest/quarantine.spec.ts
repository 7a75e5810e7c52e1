import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Logger, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RedlockModule, RedlockService, WithLock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { logLines } from '../../support/nest/log-lines.js';
import { poolOn } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServer, startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';

const MAX_TTL = 2_500;

@Controller()
class Orders {
  paid = 0;

  @Post('pay')
  @WithLock('order', { waitTimeout: 0, reentrant: true })
  async pay(): Promise<string> {
    this.paid += 1;
    return 'paid';
  }

  @Post('pay-patiently')
  @WithLock('order', { waitTimeout: 20_000, quorumTimeout: 20_000 })
  async payPatiently(): Promise<string> {
    return this.pay();
  }
}

@Controller()
class SlowOrders {
  @Post('pay-slowly')
  @WithLock('slow-order', { ttl: MAX_TTL + 1 })
  async paySlowly(): Promise<string> {
    return 'paid';
  }
}

const PAID = { status: 201, body: 'paid' };

describe('an application', () => {
  let servers: RedisServer[];

  afterEach(async () => {
    jest.restoreAllMocks();
    await endAll();
  });

  const start = (): Promise<TestApp> =>
    TestApp.start('Express', {
      imports: [poolOn(servers, { maxTtl: MAX_TTL, restartQuarantine: true })],
      controllers: [Orders],
    });
  const startTrusted = async (): Promise<TestApp> => {
    servers = await startRedisServers(3);
    await Promise.all(servers.map(({ url }) => vouchFor(url, MAX_TTL, 'lock:')));
    return start();
  };

  it('on new nodes answers 503 and says when to come again, and then it locks', async () => {
    servers = await startRedisServers(3);
    const app = await start();
    const refused = await app.post('pay');
    expect(refused).toMatchObject({
      status: 503,
      body: { statusCode: 503, error: 'Service Unavailable', code: 'QUORUM_NOT_REACHED' },
      headers: { 'retry-after': expect.stringMatching(/^[123]$/) },
    });
    expect(JSON.stringify(refused.body)).not.toContain('127.0.0.1');
    await app.log.until('node-quarantined', undefined, 3);
    expect(app.app.get(Orders).paid).toBe(0);
    expect(await app.post('pay-patiently')).toMatchObject(PAID);
  });

  it('locks on while one node after the other is restarted, and refuses once a majority is out', async () => {
    const app = await startTrusted();
    expect(await app.post('pay')).toMatchObject(PAID);
    await servers[0]!.restart();
    await app.log.until('node-quarantined');
    expect(await app.post('pay')).toMatchObject(PAID);
    await servers[1]!.restart();
    await app.log.until('node-quarantined', undefined, 2);
    expect(await app.post('pay')).toMatchObject({ status: 503 });
    expect(await app.redlock.status()).toMatchObject({
      nodes: [{ up: true, votes: false }, { up: true, votes: false }, { votes: true }],
      quorumReachable: false,
    });
    expect(await app.post('pay-patiently')).toMatchObject(PAID);
  });

  it('tells in its log which node is out, why and for how long, and that it is back', async () => {
    const app = await startTrusted();
    const lines = logLines('warn', 'log');
    await servers[0]!.restart();
    await app.log.until('node-quarantined');
    await eventually(async () => expect((await app.redlock.status()).nodes[0]!.votes).toBe(true));
    await app.log.until('node-trusted');
    const { url } = servers[0]!;
    const about = (words: string): string[] => lines.filter((line) => line.includes(words));
    expect(about('does not vote')).toEqual([
      expect.stringMatching(
        new RegExp(`^warn: ${url} does not vote for \\d+ ms: .*restarted.*may have forgotten locks`),
      ),
    ]);
    expect(about('votes again')).toEqual([`log: ${url} votes again`]);
  });

  it('tells in its log what endangers its locks', async () => {
    const server = await startRedisServer({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] });
    servers = [server];
    const lines: unknown[] = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(line));
    const app = await start();
    await app.log.until('node-warning');
    const warned = expect.stringMatching(new RegExp(`^${server.url}: it evicts keys`));
    await eventually(() => expect(lines).toContainEqual(warned));
  });

  it('does not begin with one server under two addresses, and leaves nothing open', async () => {
    const { port } = await startRedisServer();
    const nodes = [`redis://127.0.0.1:${port}`, `redis://localhost:${port}`];
    const module = await Test.createTestingModule({ imports: [RedlockModule.forRoot({ nodes })] }).compile();
    module.useLogger(false);
    const beginning = module.init();
    await expect(beginning).rejects.toBeInstanceOf(TypeError);
    await expect(beginning).rejects.toThrow(/127\.0\.0\.1.*localhost.*one server/);
    await module.close();
    await expect(module.get(RedlockService).acquire('a')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('refuses a ttl above maxTtl when it is registered', () => {
    const nodes = ['redis://127.0.0.1'];
    const register = (): unknown => RedlockModule.forRoot({ nodes, maxTtl: MAX_TTL, defaults: { ttl: MAX_TTL + 1 } });
    expect(register).toThrow(RangeError);
    expect(register).toThrow(/ttl must be at most maxTtl, 2500 ms.*got 2501/);
  });

  it('does not begin with a ttl of a method above maxTtl', async () => {
    const redlock = RedlockModule.forRoot({ nodes: ['redis://127.0.0.1'], isGlobal: true, maxTtl: MAX_TTL });
    const starting = Test.createTestingModule({ imports: [redlock], controllers: [SlowOrders] }).compile();
    await expect(starting).rejects.toThrow(/SlowOrders\.paySlowly: ttl must be at most maxTtl, 2500 ms.*got 2501/);
  });
});
