import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { type Attempt, postgresReplyTable, postgresStore } from 'nestjs-redlock/idempotency';
import { quotedTable, statementsFor } from '../../../lib/idempotency/stores/postgres-sql.js';
import { Payments } from '../../support/exactly-once/payments.js';
import { eventually } from '../../support/eventually.js';
import { HAS_POSTGRES } from '../../support/postgres.js';

const PATIENCE = 120_000;
const KEEP = 600_000;

const onPostgres = HAS_POSTGRES ? describe : describe.skip;

onPostgres('postgresStore', () => {
  let payments: Payments;

  beforeAll(async () => {
    payments = await Payments.start();
  }, PATIENCE);

  afterAll(() => payments.stop(), PATIENCE);

  const opened = async (key: string): Promise<Attempt> => {
    const attempt = payments.attempt();
    await payments.store.open(key, attempt, KEEP);
    return attempt;
  };

  const inTransaction = async (begin: string, work: (client: PoolClient) => Promise<void>): Promise<void> => {
    const client = await payments.pool.connect();
    try {
      await client.query(begin);
      await work(client);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
  };

  const effect = (client: PoolClient, key: string): Promise<unknown> =>
    client.query('INSERT INTO payments VALUES ($1, $2)', [randomUUID(), key]);

  const untilWaiting = (): Promise<void> =>
    eventually(async () => {
      const { rows } = await payments.pool.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      expect(rows).toHaveLength(1);
    });

  describe('open beside an open transaction that has kept its reply', () => {
    it.each([
      ['COMMIT', { kind: 'kept', kept: { fingerprint: null, record: 'record' } }],
      ['ROLLBACK', { kind: 'interrupted', attempts: 1, fingerprint: null }],
    ])('waits for its end: %s', async (end, expected) => {
      const key = randomUUID();
      const attempt = await opened(key);
      await inTransaction('BEGIN', async (client) => {
        await effect(client, key);
        expect(await payments.store.keepIn(client, key, attempt, 'record', KEEP)).toBe('settled');
        const opening = payments.store.open(key, payments.attempt(), KEEP);
        await untilWaiting();
        await client.query(end);
        expect(await opening).toEqual(expected);
      });
    });

    it('sees a record whose row was forgotten before', async () => {
      const key = randomUUID();
      const attempt = await opened(key);
      await payments.store.forget(key);
      await inTransaction('BEGIN', async (client) => {
        expect(await payments.store.keepIn(client, key, attempt, 'record', KEEP)).toBe('settled');
        const opening = payments.store.open(key, payments.attempt(), KEEP);
        await untilWaiting();
        await client.query('COMMIT');
        expect(await opening).toMatchObject({ kind: 'kept' });
      });
    });
  });

  describe.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])('keepIn at %s', (level) => {
    const begin = `BEGIN ISOLATION LEVEL ${level}`;

    it('settles once, and refuses a second effect of the same attempt', async () => {
      const key = randomUUID();
      const attempt = await opened(key);
      await inTransaction(begin, async (client) => {
        await effect(client, key);
        expect(await payments.store.keepIn(client, key, attempt, 'record', KEEP)).toBe('settled');
        await client.query('COMMIT');
      });
      await inTransaction(begin, async (client) => {
        await effect(client, key);
        expect(await payments.store.keepIn(client, key, attempt, 'record', KEEP)).toBe('superseded');
      });
      // The runner says it once more, outside of the transaction.
      expect(await payments.store.settle(key, attempt, 'record', KEEP)).toBe('settled');
      expect(await payments.store.settle(key, attempt, 'another', KEEP)).toBe('superseded');
      expect(await payments.paid(key)).toHaveLength(1);
    });

    it.each(['before', 'after'])(
      'refuses an attempt where a later one has opened %s its transaction began',
      async (when) => {
        const key = randomUUID();
        const attempt = await opened(key);
        const late = async (client: PoolClient): Promise<string> => {
          await client.query('SELECT FROM payments');
          if (when === 'after') await opened(key);
          await effect(client, key);
          return payments.store
            .keepIn(client, key, attempt, 'record', KEEP)
            .catch(({ code }: { code: string }) => code);
        };
        if (when === 'before') await opened(key);
        await inTransaction(begin, async (client) => {
          const isStale = when === 'after' && level !== 'READ COMMITTED';
          expect(await late(client)).toBe(isStale ? '40001' : 'superseded');
        });
        expect(await payments.paid(key)).toEqual([]);
      },
    );
  });

  it('lets no earlier attempt in, even after what a later one has kept has expired', async () => {
    const key = randomUUID();
    const attempt = await opened(key);
    const later = await opened(key);
    await payments.store.settle(key, later, 'record', -1);
    await inTransaction('BEGIN', async (client) => {
      expect(await payments.store.keepIn(client, key, attempt, 'late', KEEP)).toBe('superseded');
    });
    expect(await payments.store.open(key, payments.attempt(), KEEP)).toEqual({ kind: 'new' });
  });

  describe('the sweeper', () => {
    it('ends if the database does not say how many rows it has deleted', async () => {
      const store = postgresStore({ query: () => Promise.resolve({ rows: [] }) });
      expect(await store.sweep()).toBe(0);
    });

    it('deletes what has expired, in batches, and skips what is in use', async () => {
      await payments.store.sweep();
      const keys = Array.from({ length: 25 }, (_, index) => `swept:${index}`);
      for (const key of keys) await payments.store.open(key, payments.attempt(), -1);
      const living = await opened('swept:living');
      await inTransaction('BEGIN', async (client) => {
        await client.query("SELECT FROM redlock_reply WHERE key = 'swept:7' FOR UPDATE");
        expect(await payments.store.sweep(10)).toBe(24);
      });
      expect(await Promise.all([payments.store.sweep(), payments.store.sweep()])).toContain(1);
      const { rows } = await payments.pool.query("SELECT key FROM redlock_reply WHERE key LIKE 'swept:%'");
      expect(rows).toEqual([{ key: 'swept:living' }]);
      await payments.store.clear('swept:living', living);
      await expect(payments.store.sweep(0)).rejects.toThrow(TypeError);
    });

    it('may delete a row between the two statements of open, which opens again', async () => {
      const key = randomUUID();
      await payments.store.settle(key, await opened(key), 'record', 100_000);
      let statements = 0;
      const store = postgresStore({
        query: async (text, values) => {
          statements += 1;
          // After the first statement has met a record, it expires and is swept.
          if (statements === 2) {
            await payments.pool.query("UPDATE redlock_reply SET expires_at = now() - interval '1 s' WHERE key = $1", [
              key,
            ]);
            await payments.store.sweep();
          }
          return payments.pool.query(text, values);
        },
      });
      expect(await store.open(key, payments.attempt(), KEEP)).toEqual({ kind: 'new' });
      expect(statements).toBe(3);
    });
  });

  it(
    'finds its rows by the primary key, and what has expired by its index',
    async () => {
      const table = 'many_replies';
      const { pool } = payments;
      await pool.query(postgresReplyTable(table));
      await pool.query(`INSERT INTO ${table} (key, fence, owner, record, expires_at)
      SELECT 'key:' || n, n, 'owner', 'record', now() + interval '1 day' FROM generate_series(1, 1000000) n`);
      await pool.query(`ANALYZE ${table}`);
      const explained = async (statement: string, values: unknown[]): Promise<string> => {
        const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`, values);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      };
      const sql = statementsFor(quotedTable(table));
      const values = ['key:5', 1, 'owner', null, null, KEEP];
      for (const insert of [sql.open, sql.settle, sql.keepIn])
        expect(await explained(insert, values)).toMatch(/Conflict Arbiter Indexes: many_replies_pkey/);
      for (const [statement, own] of [
        [sql.read, ['key:5']],
        [sql.describe, ['key:5']],
        [sql.forget, ['key:5']],
        [sql.clear, ['key:5', 1, 'owner']],
        [sql.sweep, [1_000]],
      ] as const) {
        const plan = await explained(statement, [...own]);
        expect(plan).toMatch(/Index Scan using many_replies_(pkey|expires)|Bitmap Index Scan on many_replies_pkey/);
        expect(plan).not.toContain('Seq Scan');
      }
      await pool.query(`DROP TABLE ${table}`);
    },
    PATIENCE,
  );

  it('takes the name of a table, and nothing else', async () => {
    await payments.pool.query('CREATE SCHEMA billing');
    await payments.pool.query(postgresReplyTable('billing.Replies'));
    const store = postgresStore({
      query: (text, values) => payments.pool.query(text, values),
      table: 'billing.Replies',
    });
    expect(await store.open('key', payments.attempt(), KEEP)).toEqual({ kind: 'new' });
    const { rows } = await payments.pool.query('SELECT key FROM billing."Replies"');
    expect(rows).toEqual([{ key: 'key' }]);
    for (const table of ['', 'a b', 'a;DROP TABLE b', 'a"b', 'a.b.c', '.a', 'a.', '1a', 'a'.repeat(56), 'ä']) {
      expect(() => postgresReplyTable(table)).toThrow(TypeError);
      expect(() => postgresStore({ query: () => Promise.resolve([]), table })).toThrow(/table must be a name/);
    }
  });
});
