import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus';
import { RedlockModule, RedlockService } from 'nestjs-redlock';
import { RedlockHealthIndicator } from 'nestjs-redlock/terminus';
import { eventually } from '../../support/eventually.js';
import { endAll } from '../../support/nest/end-all.js';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { vouchFor } from '../../support/vouch.js';

/** Ms for which a check waits for a node that does not answer. */
const TIMEOUT = 500;

@Controller('health')
class Health {
  constructor(
    private readonly health: HealthCheckService,
    private readonly redlock: RedlockHealthIndicator,
  ) {}

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.redlock.check('locks', { timeout: TIMEOUT })]);
  }

  @Get('public')
  @HealthCheck()
  public(): Promise<HealthCheckResult> {
    const options = { timeout: TIMEOUT, whenDown: 'degraded', details: false } as const;
    return this.health.check([() => this.redlock.check('locks', options)]);
  }

  @Get('pools')
  @HealthCheck()
  pools(): Promise<HealthCheckResult> {
    return this.health.check(['billing', 'biling'].map((pool) => () => this.redlock.check(pool, { pool })));
  }
}

describe('the health of a pool', () => {
  let servers: RedisServer[];
  let app: TestApp;
  const start = async (...pools: ReturnType<typeof poolOn>[]): Promise<void> => {
    app = await TestApp.start('Express', {
      imports: [...pools, TerminusModule.forRoot({ logger: false })],
      controllers: [Health],
      providers: [RedlockHealthIndicator],
    });
  };
  const started = async (): Promise<void> => {
    servers = await startRedisServers(3);
    await start(poolOn(servers));
  };
  /** An answer may be a second old, and connections come and go a moment after their nodes. */
  const untilReady = (status: number, health: string, locks: object): Promise<void> =>
    eventually(async () => {
      const reply = await app.get('health/ready');
      expect(reply).toMatchObject({ status, body: { status: health, details: { locks } } });
    });
  const node = (index: number): string => servers[index]!.url;

  afterEach(async () => {
    jest.restoreAllMocks();
    await endAll();
  });

  describe('with three nodes', () => {
    beforeEach(() => started());

    it('is up while all vote', async () => {
      const { status, body } = await app.get('health/ready');
      const each = { votes: true, latency: expect.any(Number) };
      const nodes = Object.fromEntries(servers.map(({ url }) => [url, each]));
      const locks = { status: 'up', quorum: 2, votes: 3, margin: 1, nodes };
      expect([status, body]).toEqual([200, { status: 'ok', info: { locks }, error: {}, details: { locks } }]);
    });

    it('is degraded and then down as they are killed, and up once they are back', async () => {
      await servers[0]!.kill();
      const refused = { [node(0)]: { votes: false, reason: expect.any(String) } };
      await untilReady(200, 'degraded', { status: 'degraded', votes: 2, margin: 0, nodes: refused });
      await servers[1]!.kill();
      await untilReady(503, 'error', { status: 'down', votes: 1, margin: -1, nodes: refused });
      await servers[1]!.restart();
      await untilReady(200, 'degraded', { status: 'degraded', votes: 2 });
      await servers[0]!.restart();
      await untilReady(200, 'ok', { status: 'up', votes: 3 });
    });

    it('is degraded and then down as they freeze, and up once they go on', async () => {
      await servers[0]!.freeze();
      const frozen = { [node(0)]: { votes: false, reason: `no answer within ${TIMEOUT} ms` } };
      await untilReady(200, 'degraded', { status: 'degraded', votes: 2, nodes: frozen });
      await servers[1]!.freeze();
      await untilReady(503, 'error', { status: 'down', votes: 1, nodes: frozen });
      await Promise.all([0, 1].map((index) => servers[index]!.thaw()));
      await untilReady(200, 'ok', { status: 'up', votes: 3 });
    });

    it('is never down where that is not wanted, and names no node in public', async () => {
      await Promise.all([0, 1].map((index) => servers[index]!.kill()));
      await eventually(async () => {
        const locks = { status: 'degraded', quorum: 2, votes: 1, margin: -1 };
        const body = { status: 'degraded', info: { locks }, error: {}, details: { locks } };
        const reply = await app.get('health/public');
        expect([reply.status, reply.body]).toEqual([200, body]);
      });
    });

    it('is asked for once, however many ask at once', async () => {
      const status = jest.spyOn(app.redlock, 'status');
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) => app.get(`health/${index % 2 === 0 ? 'ready' : 'public'}`)),
      );
      expect(replies.every((reply) => reply.status === 200)).toBe(true);
      expect(status).toHaveBeenCalledTimes(1);
    });
  });

  it('is degraded while a node may have forgotten locks, and says until when', async () => {
    const maxTtl = 1_000_000;
    servers = await startRedisServers(3);
    await Promise.all(servers.map(({ url }) => vouchFor(url, maxTtl, 'lock:')));
    await start(poolOn(servers, { restartQuarantine: true, maxTtl }));
    await untilReady(200, 'ok', { status: 'up' });
    await servers[2]!.restart();
    const out = { votes: false, votesIn: expect.any(Number), reason: expect.stringMatching(/forgotten locks/) };
    await untilReady(200, 'degraded', { status: 'degraded', nodes: { [node(2)]: out } });
  });

  it('is up for a pool that is disabled, and says so', async () => {
    await start(RedlockModule.forRoot({ enabled: false }));
    await untilReady(200, 'ok', { status: 'up', disabled: true });
  });

  it('is that of the pool with the name, and down where there is no such pool', async () => {
    servers = await startRedisServers(1);
    await start(poolOn(CLOSED_PORTS), poolOn(servers, { name: 'billing' }));
    const { status, body } = await app.get('health/pools');
    expect([status, body]).toMatchObject([
      503,
      { info: { billing: { status: 'up', votes: 1 } }, error: { biling: { status: 'down' } } },
    ]);
    expect(body).toMatchObject({ error: { biling: { message: expect.stringContaining('RedlockService(biling)') } } });
  });

  it('is down from the start of the shutdown on, while locks are still granted', async () => {
    await started();
    await untilReady(200, 'ok', { status: 'up' });
    app.app.get(RedlockService).onModuleDestroy();
    const error = { locks: { status: 'down', message: 'the application is shutting down' } };
    expect(await app.get('health/public')).toMatchObject({ status: 503, body: { error } });
    expect((await app.redlock.acquire('a')).isValid).toBe(true);
  });

  it('is down, and nothing throws, once the pool is closed', async () => {
    await started();
    await app.app.get(RedlockService).onApplicationShutdown();
    expect(await app.get('health/ready')).toMatchObject({ status: 503, body: { error: { locks: { votes: 0 } } } });
  });
});
