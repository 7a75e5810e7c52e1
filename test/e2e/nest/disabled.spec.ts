import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Inject, Logger, Post } from '@nestjs/common';
import { CurrentLock, RedlockModule, RedlockService, getRedlockToken, WithLock, type Lock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Orders {
  constructor(@Inject(Door) private readonly door: Door) {}

  @Post('pay')
  @WithLock('order:<body.id>', { waitTimeout: 20_000 })
  async pay(@Body('id') id: string, @CurrentLock() lock: Lock): Promise<object> {
    await this.door.pass(id);
    return { token: lock.fencingToken, isValid: lock.isValid };
  }
}

describe('a pool that is not enabled', () => {
  const door = new Door();
  const warnings: string[] = [];
  let servers: RedisServer[];
  const start = (options: object = {}): Promise<TestApp> =>
    TestApp.start('Express', {
      imports: [RedlockModule.forRoot({ enabled: false, isGlobal: true, ...options })],
      controllers: [Orders],
      providers: [{ provide: Door, useValue: door }],
    });
  const connections = async (): Promise<number> =>
    withRedis(
      servers[0]!.url,
      async (redis) =>
        String(await redis.client('LIST'))
          .trim()
          .split('\n').length - 1,
    );

  beforeAll(async () => {
    servers = await startRedisServers(1);
  });

  beforeEach(() => {
    door.reset();
    warnings.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void warnings.push(String(line)));
  });

  afterEach(async () => {
    await closeApps();
    jest.restoreAllMocks();
  });

  afterAll(() => stopAll());

  it('needs no nodes, locks within its process, and counts on', async () => {
    const app = await start();
    const replies = await Promise.all(Array.from({ length: 10 }, () => app.post('pay', { id: '1' })));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(door.most).toBe(1);
    const tokens = replies.map(({ body }) => (body as { token: number }).token);
    expect(new Set(tokens).size).toBe(10);
    expect(replies.every(({ body }) => (body as { isValid: boolean }).isValid)).toBe(true);
  });

  it('gives tokens that grow, and locks that last and end as usual', async () => {
    const { redlock } = await start();
    const first = await redlock.acquire('a', { ttl: 5_000 });
    expect([first.isValid, first.signal.aborted, first.validity > 4_000]).toEqual([true, false, true]);
    await expect(redlock.tryAcquire('a')).resolves.toBeNull();
    await first.extend();
    await first.release();
    const second = await redlock.acquire('a');
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    await second.release();
    const nested = redlock.withLock('a', (lock) =>
      redlock.withLock('a', (inner) => inner === lock, { reentrant: true }),
    );
    await expect(nested).resolves.toBe(true);
  });

  it.each<[string, () => object[]]>([
    ['that are there', () => servers],
    ['that are not there', () => CLOSED_PORTS],
    ['that are no addresses', () => [{ url: '' }]],
  ])('connects to none of the nodes %s', async (_case, nodes) => {
    const urls = nodes().map((node) => (node as { url: string }).url);
    const app = await start({ nodes: urls });
    expect((await app.post('pay', { id: '1' })).status).toBe(201);
    expect(await connections()).toBe(0);
  });

  it('says so, loudly, once for each pool, and in its status', async () => {
    const metadata = {
      imports: [
        RedlockModule.forRoot({ enabled: false }),
        RedlockModule.forRootAsync({ name: 'billing', useFactory: () => ({ enabled: false }) }),
        poolOn(servers, { name: 'other' }),
      ],
    };
    const { app, redlock } = await TestApp.start('Express', metadata);
    expect(warnings.filter((line) => line.includes('DISABLED'))).toEqual([
      expect.stringMatching(
        /^Locks of the pool without a name are DISABLED \(enabled: false\).*not across replicas \[REDLOCK_W18\]$/,
      ),
      expect.stringMatching(/^Locks of pool "billing" are DISABLED/),
    ]);
    const up = { node: 'this process', up: true, votes: true, latency: expect.any(Number), clockOffset: 0 };
    expect(await redlock.status()).toEqual({ disabled: true, quorum: 1, quorumReachable: true, nodes: [up] });
    expect(await app.get<RedlockService>(getRedlockToken('other')).status()).not.toHaveProperty('disabled');
  });

  it('does not exclude another replica', async () => {
    const [one, two] = [await start(), await start()];
    door.shut();
    const replies = [one.post('pay', { id: '1' }), two.post('pay', { id: '1' })];
    await door.untilVisits(2);
    expect(door.inside).toBe(2);
    door.open();
    await Promise.all(replies);
  });

  it('shuts down in order', async () => {
    const app = await start();
    door.shut();
    const reply = app.post('pay', { id: '1' });
    await door.untilVisits(1);
    const closing = app.close();
    door.open();
    expect((await reply).status).toBe(201);
    await closing;
    await expect(app.redlock.acquire('order:1')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('still refuses options that are wrong', () => {
    expect(() => RedlockModule.forRoot({})).toThrow(TypeError);
    expect(() => RedlockModule.forRoot({})).toThrow(/nodes must be.*split/);
    expect(() => RedlockModule.forRoot({ enabled: false, maxTtl: 1 })).toThrow(RangeError);
  });
});
