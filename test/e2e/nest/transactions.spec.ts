import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Inject, Injectable, Post, UseInterceptors, type ModuleMetadata } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { Transactional, TransactionInterceptor, Transactions } from '../../support/nest/transactions.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

/** Ms: a Postgres is to start beside other tests. */
const PATIENCE = 120_000;

interface SignUp {
  readonly email: string;
}

@Injectable()
class Users {
  constructor(@Inject(Transactions) readonly transactions: Transactions) {}

  /** Looks, and then writes: right for one at a time only. */
  async register({ email }: SignUp): Promise<string> {
    const [known] = await this.transactions.query('SELECT FROM users WHERE email = $1', [email]);
    if (known) return 'known';
    await this.transactions.query('INSERT INTO users (email) VALUES ($1)', [email]);
    return 'new';
  }

  @WithLock('user:<0.email>')
  @Transactional()
  async lockAbove(user: SignUp): Promise<string> {
    return this.register(user);
  }

  @Transactional()
  @WithLock('user:<0.email>')
  async lockBelow(user: SignUp): Promise<string> {
    return this.register(user);
  }

  @Transactional()
  async unlocked(user: SignUp): Promise<string> {
    return this.register(user);
  }
}

@Controller()
class OnMethods {
  readonly transactions: Transactions;

  constructor(@Inject(Users) private readonly users: Users) {
    this.transactions = users.transactions;
  }

  @Post('service-above')
  serviceAbove(@Body() user: SignUp): Promise<string> {
    return this.users.lockAbove(user);
  }

  @Post('service-below')
  serviceBelow(@Body() user: SignUp): Promise<string> {
    return this.users.lockBelow(user);
  }

  @Post('handler')
  @WithLock('user:<body.email>')
  handler(@Body() user: SignUp): Promise<string> {
    return this.users.unlocked(user);
  }

  @Post('handler-by-argument')
  @WithLock('user:<0.email>')
  handlerByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.unlocked(user);
  }

  @Transactional()
  @WithLock('user:<body.email>')
  @Post('below-by-request')
  belowByRequest(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Transactional()
  @WithLock('user:<0.email>')
  @Post('below-by-argument')
  belowByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Post('interceptor')
  @UseInterceptors(TransactionInterceptor)
  @WithLock('user:<body.email>')
  interceptor(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }

  @Post('interceptor-by-argument')
  @WithLock('user:<0.email>')
  @UseInterceptors(TransactionInterceptor)
  interceptorByArgument(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }
}

@Controller()
@UseInterceptors(TransactionInterceptor)
class OnController {
  constructor(@Inject(Users) private readonly users: Users) {}

  @Post('interceptor-of-controller')
  @WithLock('user:<body.email>')
  interceptorOfController(@Body() user: SignUp): Promise<string> {
    return this.users.register(user);
  }
}

describe('a lock and a transaction', () => {
  let transactions: Transactions;
  let servers: RedisServer[];
  let [one, two]: TestApp[] = [];

  beforeAll(async () => {
    transactions = await Transactions.open('CREATE TABLE users (email TEXT NOT NULL)');
    servers = await startRedisServers(3);
  }, PATIENCE);

  beforeEach(async () => {
    await transactions.query('DELETE FROM users');
    transactions.commits.reset();
    transactions.commits.shut();
  });

  afterEach(() => transactions.commits.open());

  afterAll(async () => {
    await stopAll();
    await transactions.close();
  }, PATIENCE);

  describe.each(PLATFORMS)('on %s', (platform) => {
    const user = { email: 'a@b.example' };

    beforeAll(async () => {
      const metadata = (): ModuleMetadata => ({
        imports: [poolOn(servers)],
        controllers: [OnMethods, OnController],
        providers: [Users, { provide: Transactions, useValue: transactions }],
      });
      [one, two] = await TestApp.pair(platform, metadata);
    }, PATIENCE);

    beforeEach(() => {
      for (const { log } of [one!, two!]) log.clear();
    });

    afterAll(() => closeApps(), PATIENCE);

    const outcome = async (...replies: Promise<{ body: unknown }>[]): Promise<unknown[]> => {
      const bodies = (await Promise.all(replies)).map(({ body }) => body);
      return [...bodies, (await transactions.query('SELECT FROM users')).length];
    };

    it.each(['service-above', 'handler', 'handler-by-argument', 'below-by-request', 'interceptor'])(
      'end in one user where the lock is outside the commit: %s',
      async (path) => {
        const first = one!.post(path, user);
        await transactions.commits.untilVisits(1);
        expect(await holderOn(servers, 'user:a@b.example')).not.toBeNull();
        const second = two!.post(path, user);
        await two!.log.until('contended', 'user:a@b.example');
        expect(transactions.commits.visits).toHaveLength(1);
        transactions.commits.open();
        expect(await outcome(first, second)).toEqual(['new', 'known', 1]);
        await untilFree(servers);
      },
    );

    it.each(['service-below', 'below-by-argument', 'interceptor-by-argument', 'interceptor-of-controller'])(
      'end in two users where the commit comes after the lock, which is why it stands above: %s',
      async (path) => {
        const first = one!.post(path, user);
        await transactions.commits.untilVisits(1);
        await untilFree(servers);
        const second = two!.post(path, user);
        // It had the lock, and saw nothing of what is about to be committed.
        await transactions.commits.untilVisits(2);
        expect(two!.log.count('acquired', 'user:a@b.example')).toBe(1);
        transactions.commits.open();
        expect(await outcome(first, second)).toEqual(['new', 'new', 2]);
      },
    );
  });
});
