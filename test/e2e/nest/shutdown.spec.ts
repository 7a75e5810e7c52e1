import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { CurrentLock, InjectRedlock, RedlockService, WithLock, type Lock } from 'nestjs-redlock';
import { Door } from '../../support/nest/door.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Orders {
  lock: Lock | undefined;

  constructor(
    @Inject(Door) private readonly door: Door,
    @InjectRedlock() private readonly redlock: RedlockService,
  ) {}

  @Post('pay')
  @WithLock('order:<body.id>')
  async pay(@Body('id') id: string, @CurrentLock() lock: Lock): Promise<string> {
    this.lock = lock;
    await this.door.pass(id);
    // To finish, it needs another one.
    const again = { reentrant: true };
    return this.redlock.withLock(`receipt:${id}`, () => this.redlock.withLock(`order:${id}`, () => 'paid', again));
  }

  @Post('by-argument')
  @WithLock('order:<0>')
  async byArgument(@Body('id') id: string): Promise<void> {
    await this.door.pass(id);
  }
}

/** Connections that nodes have besides the one that asks. */
async function connectionsOn(servers: readonly RedisServer[]): Promise<number> {
  const lists = servers.map(({ url }) =>
    withRedis(
      url,
      async (redis) =>
        String(await redis.client('LIST'))
          .trim()
          .split('\n').length - 1,
    ),
  );
  return (await Promise.all(lists)).reduce((sum, count) => sum + count, 0);
}

describe.each(PLATFORMS)('an application on %s that is closed', (platform) => {
  const { door, servers } = shutDoor();
  let app: TestApp;
  const start = async (shutdownTimeout: number): Promise<void> => {
    const providers = [{ provide: Door, useValue: door }];
    app = await TestApp.start(platform, {
      imports: [poolOn(servers, { shutdownTimeout })],
      controllers: [Orders],
      providers,
    });
  };

  it('lets holders finish, with their locks on the nodes and with those that they need for it', async () => {
    await start(20_000);
    const reply = app.post('pay', { id: '1' });
    await door.untilVisits(1);
    const holding = await holderOn(servers, 'order:1');
    const closing = app.close();
    // A lock that cannot be had any more: from here on it shuts down.
    await expect(app.redlock.acquire('other')).rejects.toMatchObject({ code: 'CLOSED' });
    expect([door.inside, await holderOn(servers, 'order:1')]).toEqual([1, holding]);
    door.open();
    expect(await reply).toMatchObject({ status: 201, body: 'paid' });
    await closing;
    await untilFree(servers);
  });

  it.each(['pay', 'by-argument'])('refuses callers that wait and callers that come: %s', async (path) => {
    await start(20_000);
    const holder = app.post('pay', { id: '1' });
    await door.untilVisits(1);
    const waiter = app.post(path, { id: '1' });
    await app.log.until('contended', 'order:1');
    const closing = app.close();
    const closed = { status: 503, body: { statusCode: 503, code: 'CLOSED' } };
    expect(await waiter).toMatchObject(closed);
    expect(await app.post(path, { id: '2' })).toMatchObject(closed);
    expect([door.visits, await holderOn(servers, 'order:1')]).toEqual([['1'], expect.any(String)]);
    door.open();
    expect((await holder).status).toBe(201);
    await closing;
  });

  it('waits for holders no longer than it is told to, and tells them before it releases their locks', async () => {
    await start(50);
    const reply = app.post('pay', { id: '1' });
    await door.untilVisits(1);
    const { lock } = app.app.get(Orders);
    const { signal } = lock!;
    const closing = app.close();
    await untilFree(servers);
    expect([door.inside, lock!.isValid, signal.aborted]).toEqual([1, false, true]);
    door.open();
    await reply;
    await closing;
    await untilFree(servers);
  });

  it('closes its connections', async () => {
    await start(20_000);
    door.open();
    await app.post('pay', { id: '1' });
    expect(await connectionsOn(servers)).toBe(3);
    await app.close();
    expect(await connectionsOn(servers)).toBe(0);
  });

  it('may be closed at once, and twice', async () => {
    await start(20_000);
    const first = app.close();
    await Promise.all([first, app.app.close()]);
    expect(await connectionsOn(servers)).toBe(0);
  });

  it('does not wait for nodes that are gone', async () => {
    const others = await startRedisServers(3);
    const providers = [{ provide: Door, useValue: door }];
    app = await TestApp.start(platform, { imports: [poolOn(others)], controllers: [Orders], providers });
    const lock = await app.redlock.acquire('order:1');
    await Promise.all([others[0]!.kill(), others[1]!.kill(), others[2]!.freeze()]);
    const released = lock.release();
    await app.close();
    await released;
    expect(lock.isValid).toBe(false);
    await stopAll(others);
  });
});
