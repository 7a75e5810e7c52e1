import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Post } from '@nestjs/common';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { eventually } from '../../support/eventually.js';
import { Door } from '../../support/nest/door.js';
import { send } from '../../support/nest/http-client.js';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { shutDoor } from '../../support/nest/shut-door.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

@Controller()
class Orders {
  constructor(
    @Inject(Door) private readonly door: Door,
    @InjectRedlock() private readonly redlock: RedlockService,
  ) {}

  @Post('pay')
  @WithLock('order:<body.id>')
  async pay(@Body('id') id: string): Promise<string> {
    await this.door.pass(id);
    // To finish, it needs another one.
    const again = { reentrant: true };
    return this.redlock.withLock(`receipt:${id}`, () => this.redlock.withLock(`order:${id}`, () => 'paid', again));
  }

  @Post('unlocked')
  async unlocked(@Body('id') id: string): Promise<void> {
    await this.door.pass(id);
  }

  @Post('by-argument')
  @WithLock('order:<0>')
  async byArgument(@Body('id') id: string): Promise<void> {
    await this.door.pass(id);
  }
}

/** Resolves when the server of the application takes no more connections. */
async function untilRefused({ url }: TestApp): Promise<void> {
  await eventually(() => expect(send(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' }));
}

/** Ten clients that ask one after another, each with an order of its own, until the server takes no more connections. */
class Load {
  /** The answers to requests that got no lock. Fastify itself answers the last requests with 503, with and without a lock. */
  readonly unlocked: unknown[] = [];
  #answered = 0;
  readonly #clients: Promise<void>[];

  constructor(private readonly url: string) {
    this.#clients = Array.from({ length: 10 }, (_, client) => this.#ask(client));
  }

  async untilAnswered(count: number): Promise<void> {
    await eventually(() => expect(this.#answered).toBeGreaterThanOrEqual(count));
  }

  async untilRefused(): Promise<void> {
    await Promise.all(this.#clients);
  }

  async #ask(client: number): Promise<void> {
    for (let order = 0; ; order += 1) {
      const reply = await send(this.url, { body: { id: `${client}.${order % 3}` } }).catch(refusal);
      if (reply === undefined) return;
      this.#answered += 1;
      if ((reply.body as { code?: string }).code !== undefined) this.unlocked.push(reply.body);
    }
  }
}

/** Takes a connection that the closed server has not accepted as the end of the load. @throws any other error */
function refusal(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ECONNREFUSED' && error.code !== 'ECONNRESET') throw error;
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
    await untilRefused(app);
    expect([door.inside, await holderOn(servers, 'order:1')]).toEqual([1, holding]);
    door.open();
    expect(await reply).toMatchObject({ status: 201, body: 'paid' });
    await closing;
    await untilFree(servers);
    await expect(app.redlock.acquire('other')).rejects.toMatchObject({ code: 'CLOSED', retryAfter: 1_000 });
  });

  it.each(['pay', 'by-argument'])('serves every request that its server has accepted: %s', async (path) => {
    await start(20_000);
    const replies = [app.post('pay', { id: '1' })];
    await door.untilVisits(1);
    replies.push(app.post(path, { id: '1' }));
    await app.log.until('contended', 'order:1');
    const closing = app.close();
    await untilRefused(app);
    door.open();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses).toEqual([201, 201]);
    await closing;
    expect(door.visits).toEqual(['1', '1']);
  });

  it('answers no request with 503 because of its lock, as long as its server answers', async () => {
    await start(20_000);
    door.open();
    const load = ['pay', 'unlocked'].map((path) => new Load(`${app.url}/${path}`));
    await Promise.all(load.map((each) => each.untilAnswered(50)));
    const closing = app.close();
    await Promise.all(load.map((each) => each.untilRefused()));
    await closing;
    expect(load.map(({ unlocked }) => unlocked)).toEqual([[], []]);
  });

  it('waits for work outside of requests no longer than it is told to, and tells that work before it releases its lock', async () => {
    await start(50);
    const lock = await app.redlock.acquire('job', { autoExtend: true });
    const { signal } = lock;
    await app.close();
    expect([lock.isValid, signal.aborted]).toEqual([false, true]);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'shutdown' });
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
