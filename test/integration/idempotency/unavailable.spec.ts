import { afterAll, describe, expect, it } from '@jest/globals';
import type { DynamicModule } from '@nestjs/common';
import { Pool } from 'pg';
import {
  Idempotency,
  postgresReplyTable,
  postgresStore,
  RedlockIdempotencyModule,
  type RedlockIdempotencyOptions,
} from 'nestjs-redlock/idempotency';
import { CLOSED_PORTS, poolOn } from '../../support/nest/nodes.js';
import { closeApps, PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { HAS_POSTGRES, startPostgres } from '../../support/postgres.js';
import { startRedisServers, stopAll } from '../../support/redis-server.js';
import { call, codeOf, type RawReply } from './http-call.js';
import { orders, Tally } from './orders.js';

/** An address of a database where nobody listens. */
const NOWHERE = 'postgres://postgres@127.0.0.1:1/postgres';

/** Ms: a Postgres is to start beside other tests. */
const PATIENCE = 120_000;

const tally = new Tally();

async function start(
  platform: (typeof PLATFORMS)[number],
  pool: DynamicModule,
  options: RedlockIdempotencyOptions,
): Promise<TestApp> {
  tally.reset();
  const idempotency = RedlockIdempotencyModule.forRoot({ isGlobal: true, principal: '<user.id>', ...options });
  return TestApp.start(platform, orders(tally, [pool, idempotency]));
}

function expectRefusal(reply: RawReply, code: string): void {
  expect([reply.status, codeOf(reply)]).toEqual([503, code]);
  expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}

describe.each(PLATFORMS)('@Idempotent with %s answers 503, and does not run', (platform) => {
  afterAll(async () => {
    await closeApps();
    await stopAll();
  });

  it('without a quorum', async () => {
    const pool = poolOn(CLOSED_PORTS, { defaults: { waitTimeout: 0 } });
    const { url } = await start(platform, pool, { waitTimeout: 0 });
    expectRefusal(await call(url, 'orders', { key: 'k1' }), 'QUORUM_NOT_REACHED');
    expect(tally.runs).toBe(0);
  });

  (HAS_POSTGRES ? it : it.skip)(
    'while the database of the replies is down',
    async () => {
      const postgres = await startPostgres();
      const [up, down] = [postgres.url, NOWHERE].map((connectionString) => new Pool({ connectionString }));
      let database = up!;
      await database.query(postgresReplyTable());
      const store = postgresStore({ query: (text, values) => database.query(text, values) });
      const { url, app } = await start(platform, poolOn(await startRedisServers(3)), { store });
      expect((await call(url, 'orders', { key: 'before' })).status).toBe(201);
      database = down!;
      for (const key of ['before', 'after'])
        expectRefusal(await call(url, 'orders', { key }), 'IDEMPOTENCY_STORE_UNAVAILABLE');
      const once = app.get(Idempotency).once('k', async () => (tally.runs += 1));
      await expect(once).rejects.toMatchObject({ code: 'IDEMPOTENCY_STORE_UNAVAILABLE', retryAfter: 1_000 });
      expect(tally.runs).toBe(1);
      await Promise.all([up!.end(), down!.end()]);
      await postgres.stop();
    },
    PATIENCE,
  );
});
