import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Post, type PipeTransform } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { of, type Observable } from 'rxjs';
import { block } from '../../support/block.js';
import { Beginnings } from '../../support/nest/beginnings.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

/** Ms. */
const TTL = 200;

const beginnings = new Beginnings();

/** Computes for longer than the lock lasts, which was taken before it. */
class SlowPipe implements PipeTransform<unknown> {
  transform(value: unknown): unknown {
    block(2 * TTL);
    return value;
  }
}

@Controller()
class Users {
  @Post('slow-pipe')
  @WithLock('user:<body.email>', { ttl: TTL })
  async slowPipe(@Body('email', SlowPipe) email: string, @CurrentLock() lock: Lock): Promise<string> {
    beginnings.note(email, lock);
    return email;
  }

  @Post('slow-pipe-stream')
  @WithLock('user:<body.email>', { ttl: TTL })
  slowPipeStream(@Body('email', SlowPipe) email: string, @CurrentLock() lock: Lock): Observable<string> {
    beginnings.note(email, lock);
    return of(email);
  }
}

describe.each(PLATFORMS)('a pipe on %s that blocks the event loop for longer than the lock lasts', (platform) => {
  let servers: RedisServer[];
  let app: TestApp;

  beforeAll(async () => {
    servers = await startRedisServers(5);
    app = await TestApp.start(platform, { imports: [poolOn(servers)], controllers: [Users] });
  });

  beforeEach(() => {
    beginnings.clear();
    app.log.clear();
  });

  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it.each(['slow-pipe', 'slow-pipe-stream'])(
    'keeps the method from running, and the request fails as with any lost lock: %s',
    async (path) => {
      const { status } = await app.post(path, { email: 'a@b' });
      expect([status, beginnings.all]).toEqual([500, []]);
      expect(app.log.count('lost')).toBe(1);
      await untilFree(servers);
    },
  );
});
