import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Logger, Post, type ModuleMetadata } from '@nestjs/common';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { Deferred } from '../../support/nest/deferred.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, untilFree, type PoolOptions } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const BATCH = 3;

/** One loader for all requests: the first caller starts the batch, and the jobs of all callers run in the async context of that one. */
@Injectable()
class Loader {
  readonly #full = new Deferred();
  readonly #jobs: (() => Promise<void>)[] = [];
  #hasBegun = false;

  load(job: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => job().then(resolve, reject));
      if (this.#jobs.length === BATCH) this.#full.resolve();
      if (!this.#hasBegun) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#hasBegun = true;
    await this.#full.promise;
    await Promise.all(this.#jobs.map((job) => job()));
  }
}

@Injectable()
class Users {
  constructor(
    @Inject(Door) private readonly door: Door,
    @InjectRedlock() readonly redlock: RedlockService,
  ) {}

  @WithLock('user:<0>', { waitTimeout: 300 })
  async rename(id: string): Promise<string> {
    await this.door.pass(`renames ${id}`);
    return 'renamed';
  }

  @WithLock('user:<0>')
  async load(id: string): Promise<string> {
    await this.door.pass(`loads ${id}`);
    return 'loaded';
  }
}

@Controller()
class UsersController {
  constructor(
    @Inject(Users) private readonly users: Users,
    @Inject(Loader) private readonly loader: Loader,
    @Inject(Door) private readonly door: Door,
  ) {}

  @Post('nested')
  @WithLock('user:<body.id>')
  nested(@Body('id') id: string): Promise<string> {
    return this.users.rename(id);
  }

  @Post('first')
  @WithLock('user:<body.id>')
  async first(@Body('id') id: string): Promise<void> {
    void this.loader.load(async () => undefined);
    await this.door.pass(`holds ${id}`);
  }

  @Post('other')
  other(@Body('id') id: string): Promise<unknown> {
    return this.loader.load(() => this.users.load(id));
  }
}

describe.each(PLATFORMS)('a lock that is held already in the async context, on %s', (platform) => {
  const door = new Door();
  let servers: RedisServer[];
  let app: TestApp;
  const start = (options: PoolOptions): Promise<TestApp> => {
    const providers: ModuleMetadata['providers'] = [Users, Loader, { provide: Door, useValue: door }];
    return TestApp.start(platform, { imports: [poolOn(servers, options)], controllers: [UsersController], providers });
  };

  beforeAll(async () => {
    servers = await startRedisServers(3);
    app = await start({});
  });

  beforeEach(() => {
    door.reset();
    app.log.clear();
  });

  afterAll(endAll);

  it('is waited for by a decorated method inside another one, with a warning that comes before the time is up', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const reply = app.post('nested', { id: '1' });
    await Promise.race([app.log.until('self-contended', 'user:1'), reply]);
    expect(warn.mock.calls.map(([line]) => line as string)).toEqual([
      expect.stringMatching(/^"user:\*" is already held by this call.*reentrant: true/),
    ]);
    expect(await reply).toMatchObject({ status: 409, body: { code: 'RESOURCE_LOCKED' } });
    expect(door.visits).toEqual([]);
    warn.mockRestore();
    await untilFree(servers);
  });

  it('is shared where the module says so in its defaults', async () => {
    const reentrant = await start({ defaults: { reentrant: true } });
    expect(await reentrant.post('nested', { id: '1' })).toMatchObject({ status: 201, body: 'renamed' });
    expect([reentrant.log.count('acquired'), reentrant.log.count('self-contended')]).toEqual([1, 0]);
    await untilFree(servers);
  });

  it('is not shared with the jobs of other requests in a loader that a request under the lock started', async () => {
    door.shut();
    const first = app.post('first', { id: '1' });
    await door.untilVisits(1);
    const others = [1, 2].map(() => app.post('other', { id: '1' }));
    await Promise.race([app.log.until('contended', 'user:1'), door.untilVisits(2)]);
    expect(door.inside).toBe(1);
    door.open();
    const replies = await Promise.all([first, ...others]);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect([door.most, door.visits]).toEqual([1, ['holds 1', 'loads 1', 'loads 1']]);
    await untilFree(servers);
  });
});
