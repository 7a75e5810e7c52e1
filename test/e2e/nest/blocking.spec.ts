import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Post, UseGuards, type CanActivate, type PipeTransform } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { of, type Observable } from 'rxjs';
import { block } from '../../support/block.js';
import { Deferred } from '../../support/nest/deferred.js';
import { endAll } from '../../support/nest/end-all.js';
import { LoneApp } from '../../support/nest/lone-app.js';
import { untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS } from '../../support/nest/test-app.js';

/** Ms. */
const TTL = 2_000;
const SIGN_UPS = 60;
/** Ms that the event loop stands still for each sign-up: for all of them together it is much longer than the ttl. */
const HASHING = 80;
const PATIENCE = 60_000;
/** Ms, which the pipe blocks for twice. */
const SHORT_TTL = 200;

/** Whether the lock of a method was valid when the method began, by the order of beginnings. */
const beginnings: boolean[] = [];
const created: string[] = [];

function noteBeginning({ isValid, signal }: Lock): void {
  beginnings.push(isValid && !signal.aborted);
}

/** Lets all requests go on at once, when the last of them has come, so that nodes are asked for their locks together. */
class Together implements CanActivate {
  #missing = SIGN_UPS;
  #complete = new Deferred();

  async canActivate(): Promise<boolean> {
    this.#missing -= 1;
    const complete = this.#complete;
    if (this.#missing === 0) {
      this.#missing = SIGN_UPS;
      this.#complete = new Deferred();
      complete.resolve();
    }
    await complete.promise;
    return true;
  }
}

/** Computes for longer than the lock lasts, which was taken before it. */
class SlowPipe implements PipeTransform<unknown> {
  transform(value: unknown): unknown {
    block(2 * SHORT_TTL);
    return value;
  }
}

@Controller()
class Users {
  @Post('sign-up')
  @UseGuards(new Together())
  @WithLock('user:<body.email>', { ttl: TTL, waitTimeout: PATIENCE })
  async register(@Body('email') email: string, @CurrentLock() lock: Lock): Promise<string> {
    noteBeginning(lock);
    block(HASHING);
    created.push(email);
    return email;
  }

  @Post('slow-pipe')
  @WithLock('user:<body.email>', { ttl: SHORT_TTL })
  async slowPipe(@Body('email', SlowPipe) email: string, @CurrentLock() lock: Lock): Promise<string> {
    noteBeginning(lock);
    return email;
  }

  @Post('slow-pipe-stream')
  @WithLock('user:<body.email>', { ttl: SHORT_TTL })
  slowPipeStream(@Body('email', SlowPipe) email: string, @CurrentLock() lock: Lock): Observable<string> {
    noteBeginning(lock);
    return of(email);
  }
}

describe.each(PLATFORMS)('code on %s that blocks the event loop', (platform) => {
  let lone: LoneApp;

  beforeAll(async () => {
    lone = await LoneApp.start(5, platform, { controllers: [Users] });
  });

  beforeEach(() => {
    lone.reset();
    beginnings.length = 0;
    created.length = 0;
  });

  afterAll(endAll);

  it(
    'never begins under a lock that is over, also if sixty handlers compute together, and creates every user',
    async () => {
      const emails = Array.from({ length: SIGN_UPS }, (_, index) => `${index}@example.com`);
      const replies = await Promise.all(emails.map((email) => lone.app.post('sign-up', { email })));
      expect(beginnings).toEqual(Array(SIGN_UPS).fill(true));
      expect(replies.map(({ status }) => status)).toEqual(Array(SIGN_UPS).fill(201));
      expect([...created].sort()).toEqual([...emails].sort());
      await untilFree(lone.servers);
    },
    PATIENCE,
  );

  it.each(['slow-pipe', 'slow-pipe-stream'])(
    'keeps the method from running if a pipe blocks, and the request fails as with any lost lock: %s',
    async (path) => {
      const { status } = await lone.app.post(path, { email: 'a@b' });
      expect([status, beginnings]).toEqual([500, []]);
      expect(lone.app.log.count('lost')).toBe(1);
      await untilFree(lone.servers);
    },
  );
});
