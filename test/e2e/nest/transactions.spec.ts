import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModuleMetadata } from '@nestjs/common';
import { holderOn, poolOn, untilFree } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { OnController, OnMethods, Users } from '../../support/nest/transactional-users.js';
import { Transactions } from '../../support/nest/transactions.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';

/** Ms: a Postgres is to start beside other tests. */
const PATIENCE = 120_000;

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

    it.each(['service-above', 'handler', 'handler-by-argument', 'above-by-request', 'below-by-request', 'interceptor'])(
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

    it.each([
      'service-below',
      'below-by-argument',
      'interceptor-by-argument',
      'interceptor-of-controller',
      'interceptor-of-controller-by-argument',
    ])('end in two users where the commit comes after the lock, which is why it stands above: %s', async (path) => {
      const first = one!.post(path, user);
      await transactions.commits.untilVisits(1);
      await untilFree(servers);
      const second = two!.post(path, user);
      // It had the lock, and saw nothing of what is about to be committed.
      await transactions.commits.untilVisits(2);
      expect(two!.log.count('acquired', 'user:a@b.example')).toBe(1);
      transactions.commits.open();
      expect(await outcome(first, second)).toEqual(['new', 'new', 2]);
    });
  });
});
