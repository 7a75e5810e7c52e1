import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Post, UseGuards, type CanActivate } from '@nestjs/common';
import { CurrentLock, WithLock, type Lock } from 'nestjs-redlock';
import { block } from '../../support/block.js';
import { Beginnings } from '../../support/nest/beginnings.js';
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

const beginnings = new Beginnings();
const created: string[] = [];

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

@Controller()
class Users {
  @Post('sign-up')
  @UseGuards(new Together())
  @WithLock('user:<body.email>', { ttl: TTL, waitTimeout: PATIENCE })
  async register(@Body('email') email: string, @CurrentLock() lock: Lock): Promise<string> {
    beginnings.note(email, lock);
    block(HASHING);
    created.push(email);
    return email;
  }
}

describe.each(PLATFORMS)('a handler on %s that computes synchronously', (platform) => {
  let lone: LoneApp;

  beforeAll(async () => {
    lone = await LoneApp.start(5, platform, { controllers: [Users] });
  });

  beforeEach(() => {
    beginnings.clear();
    created.length = 0;
  });

  afterAll(endAll);

  it(
    'never begins under a lock that is over, also where sixty are locked together, and creates every user',
    async () => {
      const emails = Array.from({ length: SIGN_UPS }, (_, index) => `${index}@example.com`);
      const replies = await Promise.all(emails.map((email) => lone.app.post('sign-up', { email })));
      expect(beginnings.tooLate).toEqual([]);
      expect(replies.map(({ status }) => status)).toEqual(Array(SIGN_UPS).fill(201));
      expect([...created].sort()).toEqual([...emails].sort());
      await untilFree(lone.servers);
    },
    PATIENCE,
  );
});
