import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { Pool } from 'pg';
import { postgresReplyTable } from 'nestjs-redlock/idempotency';
import { RecipeReplicas } from '../../support/recipe-replicas.js';
import { Database, describeOnPostgres } from '../../support/recipes/database.js';
import { Recipe } from '../../support/recipes/recipe.js';

/** Ms: nodes, replicas and a Postgres are to start beside other tests. */
const PATIENCE = 120_000;
const SECRET = 'of this test';
const PROTECTION = "  @Idempotent('event:<body.id>', { fingerprint: false })\n";

const recipe = new Recipe('docs/recipes/webhooks.md');

describeOnPostgres(recipe.page, () => {
  let database: Database;
  let replicas: RecipeReplicas | undefined;
  let urls: string[];

  beforeAll(async () => {
    database = await Database.start(`${postgresReplyTable()}; CREATE TABLE bonuses (customer TEXT)`);
    process.env['DATABASE_URL'] = database.url;
    process.env['WEBHOOK_SECRET'] = SECRET;
  }, PATIENCE);

  const start = async (blocks = recipe.blocks): Promise<void> => {
    replicas = await RecipeReplicas.start(recipe.page, { rawBody: true }, blocks);
    urls = await replicas.urls();
  };

  const stop = async (): Promise<void> => {
    // The replicas of one process share the pool of their module.
    const pools = new Set(replicas?.all(Pool));
    await replicas?.stop();
    await Promise.all([...pools].map((pool) => pool.end()));
    replicas = undefined;
  };

  afterEach(stop, PATIENCE);

  afterAll(async () => {
    delete process.env['DATABASE_URL'];
    delete process.env['WEBHOOK_SECRET'];
    await database.stop();
  }, PATIENCE);

  /** As a provider does that counts its deliveries, at each replica in turn. */
  function deliver(id: string, delivery: number, signature?: string): Promise<Response> {
    const body = JSON.stringify({ id, customer: id, delivery });
    const signed = signature ?? createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signed };
    return fetch(`${urls[delivery % urls.length]}/webhooks`, { method: 'POST', headers, body });
  }
  const deliverAll = (id: string): Promise<Response[]> =>
    Promise.all(Array.from({ length: 20 }, (_, delivery) => deliver(id, delivery)));
  const bonusesOf = async (id: string): Promise<number> =>
    (await database.rows('SELECT 1 FROM bonuses WHERE customer = $1', [id])).length;

  it(
    'pays each delivery without @Idempotent',
    async () => {
      await start(recipe.changed([[PROTECTION, '']]));
      await deliverAll('evt_0');
      expect(await bonusesOf('evt_0')).toBe(20);
    },
    PATIENCE,
  );

  it(
    'pays once for 20 deliveries at two replicas, and answers all of them alike',
    async () => {
      await start();
      const replies = await deliverAll('evt_1');
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
      const answers = new Set(await Promise.all(replies.map((reply) => reply.text())));
      expect(answers).toEqual(new Set(['{"received":"evt_1"}']));
      expect(await (await deliver('evt_1', 21)).json()).toEqual({ received: 'evt_1' });
      expect(await bonusesOf('evt_1')).toBe(1);
    },
    PATIENCE,
  );

  it(
    'keeps the answer for the next process, and lets a delivery run whose predecessor failed',
    async () => {
      await start();
      await database.pool.query('ALTER TABLE bonuses RENAME TO away');
      expect((await deliver('evt_2', 0)).status).toBe(500);
      await database.pool.query('ALTER TABLE away RENAME TO bonuses');
      expect((await deliver('evt_2', 1)).status).toBe(201);
      await stop();
      await start();
      expect((await deliver('evt_2', 2)).headers.get('idempotent-replayed')).toBe('true');
      expect(await bonusesOf('evt_2')).toBe(1);
    },
    PATIENCE,
  );

  it(
    'refuses a forged event, whose id stays free, and a forged repeat',
    async () => {
      await start();
      expect((await deliver('evt_3', 0, 'forged')).status).toBe(403);
      expect((await deliver('evt_3', 1)).headers.get('idempotent-replayed')).toBeNull();
      expect((await deliver('evt_3', 2, 'forged')).status).toBe(403);
      expect(await bonusesOf('evt_3')).toBe(1);
    },
    PATIENCE,
  );
});
