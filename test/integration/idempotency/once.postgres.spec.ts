import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { type OnceCall, postgresReplyTable, postgresStore, type ReplyStore } from 'nestjs-redlock/idempotency';
import { Door } from '../../support/nest/door.js';
import { OnceReplicas, type OnceReplica } from '../../support/once-replicas.js';
import { HAS_POSTGRES, startPostgres, type Postgres } from '../../support/postgres.js';

(HAS_POSTGRES ? describe : describe.skip)('once, with the reply in the transaction of the application,', () => {
  const replicas = new OnceReplicas();
  let postgres: Postgres;
  let pool: Pool;
  let one: OnceReplica;
  let other: OnceReplica;
  let key: string;

  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new Pool({ connectionString: postgres.url });
    await pool.query(postgresReplyTable());
    await pool.query('CREATE TABLE payment (key text)');
    const store = (): ReplyStore => postgresStore(pool);
    [one, other] = [await replicas.start({}, store), await replicas.start({}, store)];
  });

  beforeEach(() => {
    key = `k ${Math.random()}`;
  });

  afterAll(async () => {
    await replicas.close();
    await pool.end();
    await postgres.stop();
  });

  /** Pays within a transaction, whose last statement keeps the reply, and ends it. */
  async function pay(call: OnceCall, reply: unknown, times = 1, end = 'COMMIT'): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO payment VALUES ($1)', [key]);
      for (let time = 0; time < times; time += 1) await call.keepIn(client, reply);
      await client.query(end);
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }
  const payments = async (): Promise<number> =>
    (await pool.query('SELECT FROM payment WHERE key = $1', [key])).rowCount ?? 0;

  it('keeps nothing of a transaction that was rolled back', async () => {
    const failing = one.idempotency.once(key, async (call) => {
      await pay(call, 'receipt', 2);
      return 'receipt';
    });
    await expect(failing).rejects.toMatchObject({ code: 'IDEMPOTENCY_SUPERSEDED' });
    expect(await payments()).toBe(0);
    await other.idempotency.once(key, async (call) => pay(call, undefined));
    expect(await payments()).toBe(1);
  });

  it('keeps the answer of the call if the transaction that kept another one was rolled back', async () => {
    const declined = await one.idempotency.once(key, async (call) => {
      await pay(call, 'receipt', 1, 'ROLLBACK');
      return 'declined';
    });
    const again = await other.idempotency.once(key, async () => 'run again');
    expect([declined, again, await payments()]).toEqual(['declined', 'declined', 0]);
  });

  it('keeps the reply of a transaction that was committed, whatever the call returns', async () => {
    const first = await one.idempotency.once(key, async (call) => {
      await pay(call, 'receipt');
      return 'wrapped receipt';
    });
    const again = await other.idempotency.once(key, async () => 'run again');
    expect([first, again, await payments()]).toEqual(['wrapped receipt', 'receipt', 1]);
  });

  it('replays if a transaction that was tried again finds its first try committed', async () => {
    const reply = await one.idempotency.once(key, async (call) => {
      await pay(call, 'receipt');
      // As if the answer to the commit had been lost.
      await pay(call, 'receipt');
      return 'receipt';
    });
    expect([reply, await payments()]).toEqual(['receipt', 1]);
  });

  it('lets nobody commit whose lock was lost while another one took over', async () => {
    const door = new Door();
    door.shut();
    const late = one.idempotency.once(key, async (call) => {
      await call.lock.release();
      await door.pass();
      await pay(call, 'late');
      return 'late';
    });
    await door.untilVisits(1);
    const taken = await other.idempotency.once(key, async (call) => {
      await pay(call, 'taken over');
      return 'taken over';
    });
    door.open();
    expect([taken, await late, await payments()]).toEqual(['taken over', 'taken over', 1]);
  });
});
