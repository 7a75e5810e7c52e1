import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { OnceCall } from '../../../lib/idempotency/once-call.js';
import type { ReplyStore } from '../../../lib/idempotency/reply-store.js';
import { postgresReplyTable, postgresStore } from '../../../lib/idempotency/stores/postgres-store.js';
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

  /** Pays within a transaction, whose last statement keeps the reply. */
  async function pay(call: OnceCall, reply: unknown, times = 1): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('INSERT INTO payment VALUES ($1)', [key]);
      for (let time = 0; time < times; time += 1) await call.keepIn(client, reply);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }
  const payments = async (): Promise<number> =>
    (await pool.query('SELECT FROM payment WHERE key = $1', [key])).rowCount ?? 0;
  const eventsOf = ({ events }: OnceReplica): string[] =>
    events.flatMap(({ type, ...event }) => ('resources' in event && event.resources[0] === key ? [type] : []));

  it('has one effect and one reply', async () => {
    const work = async (call: OnceCall): Promise<string> => {
      await pay(call, 'receipt');
      return 'receipt';
    };
    const calls = Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).idempotency.once(key, work));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['receipt']));
    expect(await payments()).toBe(1);
  });

  it('gives duplicates what the transaction has kept, and tells of a call that ended with another reply', async () => {
    const first = await one.idempotency.once(key, async (call) => {
      await pay(call, 'kept');
      return 'another';
    });
    expect([first, await other.idempotency.once(key, async () => 'new')]).toEqual(['another', 'kept']);
    expect(eventsOf(one)).toContain('reply-differs');
  });

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
    let goOn = (): void => undefined;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    const late = one.idempotency.once(key, async (call) => {
      await call.lock.release();
      await paused;
      await pay(call, 'late');
      return 'late';
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const taken = await other.idempotency.once(key, async (call) => {
      await pay(call, 'taken over');
      return 'taken over';
    });
    goOn();
    expect([taken, await late, await payments()]).toEqual(['taken over', 'taken over', 1]);
  });
});
