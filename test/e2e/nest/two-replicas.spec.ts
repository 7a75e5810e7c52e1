import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { Body, ConflictException, Controller, Inject, Injectable, Post } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, untilFree } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';

interface User {
  readonly email: string;
}

/** The database that both replicas share; no unique index keeps them from adding the same user twice. */
@Injectable()
class Store {
  readonly users: User[] = [];

  async find(email: string): Promise<User | undefined> {
    await setTimeout(5);
    return this.users.find((user) => user.email === email);
  }

  async add(user: User): Promise<User> {
    await setTimeout(5);
    this.users.push(user);
    return user;
  }
}

@Controller()
class Users {
  constructor(@Inject(Store) private readonly store: Store) {}

  @Post('users')
  @WithLock('user:<body.email|trim|lower>', { waitTimeout: 60_000 })
  signUp(@Body() user: User): Promise<User> {
    return this.register(user);
  }

  @Post('unsafe')
  unsafe(@Body() user: User): Promise<User> {
    return this.register(user);
  }

  private async register({ email }: User): Promise<User> {
    const found = await this.store.find(email.trim().toLowerCase());
    if (found) throw new ConflictException('the address is taken');
    return this.store.add({ email: email.trim().toLowerCase() });
  }
}

describe.each(PLATFORMS)('fifty identical sign-ups at two replicas on %s', (platform) => {
  const store = new Store();
  let servers: RedisServer[];
  let apps: TestApp[];

  beforeAll(async () => {
    servers = await startRedisServers(5);
    const providers = [{ provide: Store, useValue: store }];
    apps = await TestApp.pair(platform, () => ({ imports: [poolOn(servers)], controllers: [Users], providers }));
  });

  afterAll(endAll);

  async function race(path: string, spellings: string[]): Promise<{ users: number; statuses: number[] }> {
    store.users.length = 0;
    const requests = Array.from({ length: 50 }, (_, index) =>
      apps[index % 2]!.post(path, { email: spellings[index % spellings.length] }),
    );
    const replies = await Promise.all(requests);
    return { users: store.users.length, statuses: replies.map(({ status }) => status).sort((a, b) => a - b) };
  }

  it('make one user', async () => {
    const unlocked = await race('unsafe', ['a@b.example']);
    const locked = await race('users', ['a@b.example', ' A@B.example ', 'A@B.EXAMPLE']);
    expect(locked).toEqual({ users: 1, statuses: [201, ...Array(49).fill(409)] });
    // How many there are without the lock is a matter of luck, but there is never a user less.
    expect(unlocked.users).toBeGreaterThanOrEqual(locked.users);
    await untilFree(servers);
  }, 60_000);
});
