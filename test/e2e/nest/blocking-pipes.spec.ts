import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Post, type PipeTransform } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { of, type Observable } from 'rxjs';
import { block } from '../../support/block.js';
import { Beginnings } from '../../support/nest/beginnings.js';
import { endAll } from '../../support/nest/end-all.js';
import { LoneApp } from '../../support/nest/lone-app.js';
import { untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS } from '../../support/nest/test-app.js';

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
  let lone: LoneApp;

  beforeAll(async () => {
    lone = await LoneApp.start(5, platform, { controllers: [Users] });
  });

  beforeEach(() => {
    beginnings.clear();
    lone.app.log.clear();
  });

  afterAll(endAll);

  it.each(['slow-pipe', 'slow-pipe-stream'])(
    'keeps the method from running, and the request fails as with any lost lock: %s',
    async (path) => {
      const { status } = await lone.app.post(path, { email: 'a@b' });
      expect([status, beginnings.all]).toEqual([500, []]);
      expect(lone.app.log.count('lost')).toBe(1);
      await untilFree(lone.servers);
    },
  );
});
