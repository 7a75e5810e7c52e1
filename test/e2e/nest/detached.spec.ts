import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Inject, Injectable, Post } from '@nestjs/common';
import { InjectRedlock, RedlockService, WithLock } from 'nestjs-redlock';
import { Deferred } from '../../support/nest/deferred.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

const ONCE = { waitTimeout: 0 };
const LOCKED = { code: 'RESOURCE_LOCKED' };

/** Work that goes on after the request that began it was answered. */
@Injectable()
class Mailer {
  later = new Deferred();
  result: Promise<string> = Promise.resolve('');

  constructor(@InjectRedlock() readonly redlock: RedlockService) {}

  begin(): void {
    this.later = new Deferred();
    this.result = this.#send();
    // It may fail before the test looks.
    this.result.catch(() => undefined);
  }

  @WithLock('user')
  async address(): Promise<string> {
    return 'a@b.example';
  }

  async #send(): Promise<string> {
    await this.later.promise;
    return this.redlock.withLock('user', () => 'sent', ONCE);
  }
}

@Controller()
class Users {
  constructor(@Inject(Mailer) private readonly mailer: Mailer) {}

  @Post()
  @WithLock('user')
  async create(): Promise<string> {
    this.mailer.begin();
    return 'created';
  }
}

describe('code that runs beside or after a held lock', () => {
  let servers: RedisServer[];
  let app: TestApp;
  let mailer: Mailer;
  let rival: RedlockService;

  beforeAll(async () => {
    servers = await startRedisServers(3);
    const metadata = () => ({ imports: [poolOn(servers)], controllers: [Users], providers: [Mailer] });
    const [one, two] = await TestApp.pair('Express', metadata);
    [app, mailer, rival] = [one, one.app.get(Mailer), two.redlock];
  });

  beforeEach(() => app.log.clear());

  afterAll(endAll);

  it('does not share the lock of the request that began it', async () => {
    expect((await app.post('')).body).toBe('created');
    await untilFree(servers);
    const lock = await rival.acquire('user');
    mailer.later.resolve();
    await expect(mailer.result).rejects.toMatchObject(LOCKED);
    await lock.release();
  });

  it('may take a lock of its own', async () => {
    await app.post('');
    mailer.later.resolve();
    await expect(mailer.result).resolves.toBe('sent');
    expect(app.log.count('acquired', 'user')).toBe(2);
  });

  it('holds nothing once a call under a lock has returned', async () => {
    await mailer.redlock.withLock('user', () => undefined);
    await mailer.address();
    const lock = await rival.acquire('user');
    await expect(mailer.redlock.withLock('user', () => 'ran', ONCE)).rejects.toMatchObject(LOCKED);
    await lock.release();
  });

  it('holds nothing while other code of the same process does', async () => {
    const [inside, end] = [new Deferred(), new Deferred()];
    const holder = mailer.redlock.withLock('user', () => {
      inside.resolve();
      return end.promise;
    });
    await inside.promise;
    await expect(mailer.redlock.withLock('user', () => 'ran', ONCE)).rejects.toMatchObject(LOCKED);
    end.resolve();
    await holder;
  });

  it('does not run under a lock that was acquired but passed to no code', async () => {
    const lock = await mailer.redlock.acquire('user');
    await expect(mailer.redlock.withLock('user', () => 'ran', ONCE)).rejects.toMatchObject(LOCKED);
    await lock.release();
  });
});
