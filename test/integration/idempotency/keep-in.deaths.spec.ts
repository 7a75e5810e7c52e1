import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool, type PoolClient } from 'pg';
import type { Attempt } from 'nestjs-redlock/idempotency';
import { Payments, quietPool } from '../../support/exactly-once/payments.js';
import { CompiledLib } from '../../support/compiled-lib.js';
import { HAS_POSTGRES } from '../../support/postgres.js';
import { SeededRandom } from '../../support/seeded-random.js';

const PATIENCE = 120_000;
const KEEP = 600_000;
const KEYS = 100;
const CALLERS = 6;

const onPostgres = HAS_POSTGRES ? describe : describe.skip;

/** Where a process is killed: after each statement, and after its commit was sent. */
const DEATHS = ['open', 'begin', 'effect', 'record', 'commit', 'answer'] as const;

type KeepIn = (client: PoolClient, key: string, attempt: Attempt, record: string) => Promise<void>;

class ConnectionDied extends Error {}

onPostgres('many callers without a lock, whose connections die at any point', () => {
  let payments: Payments;
  let pool: Pool;
  let random: SeededRandom;

  beforeAll(async () => {
    payments = await Payments.start();
    pool = quietPool(payments.postgres.url, 60);
  }, PATIENCE);

  afterAll(async () => {
    await pool.end();
    await payments.stop();
  }, PATIENCE);

  const fenced: KeepIn = async (client, key, attempt, record) => {
    const kept = await payments.store.keepIn(client, key, attempt, record, KEEP);
    if (kept === 'superseded') throw new Error('superseded');
  };

  const unfenced: KeepIn = async (client, key, attempt, record) => {
    await client.query('UPDATE redlock_reply SET record = $2 WHERE key = $1', [key, record]);
    expect(attempt.token).toBeGreaterThan(0);
  };

  /** Dies now and then. */
  const maybeDie = (client: PoolClient): void => {
    if (random.fraction() > 0.12) return;
    destroy(client);
    throw new ConnectionDied();
  };

  const transaction = async (key: string, attempt: Attempt, keepIn: KeepIn): Promise<string> => {
    const record = randomUUID();
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      maybeDie(client);
      await client.query('INSERT INTO payments VALUES ($1, $2)', [record, key]);
      maybeDie(client);
      await keepIn(client, key, attempt, record);
      maybeDie(client);
      const committing = client.query('COMMIT');
      // The commit is on its way: nobody knows whether it arrives.
      if (random.fraction() < 0.12) destroy(client);
      await committing;
      client.release();
      return record;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };

  /** Asks until it is told; returns what it was told. */
  const ask = async (key: string, keepIn: KeepIn): Promise<string> => {
    for (;;) {
      await setTimeout(random.fraction() * 20);
      const attempt = payments.attempt();
      const opened = await payments.store.open(key, attempt, KEEP);
      if (opened.kind === 'kept') return opened.kept.record;
      if (opened.kind === 'superseded' || random.fraction() < 0.1) continue;
      await setTimeout(random.fraction() * 10);
      const told = await transaction(key, attempt, keepIn).catch(() => undefined);
      if (told !== undefined) return told;
    }
  };

  /** The keys with two effects, or for which two callers were told different things. */
  const wrongKeys = async (keepIn: KeepIn): Promise<string[]> => {
    random = new SeededRandom(7);
    const keys = Array.from({ length: KEYS }, () => randomUUID());
    const isWrong = async (key: string): Promise<string[]> => {
      const told = await Promise.all(Array.from({ length: CALLERS }, () => ask(key, keepIn)));
      const effects = await payments.paid(key);
      return new Set([...told, ...effects]).size === 1 && effects.length === 1 ? [] : [key];
    };
    const sweeping = setInterval(() => void payments.store.sweep().catch(() => undefined), 5);
    const wrong = (await Promise.all(keys.map(isWrong))).flat();
    clearInterval(sweeping);
    return wrong;
  };

  it('never see two effects, nor two replies', async () => expect(await wrongKeys(fenced)).toEqual([]), PATIENCE);

  it(
    'do see them where keepIn does not compare, so that the check is worth something',
    async () => expect((await wrongKeys(unfenced)).length).toBeGreaterThan(KEYS / 10),
    PATIENCE,
  );
});

onPostgres('a process that is killed', () => {
  let payments: Payments;
  let lib: CompiledLib;

  beforeAll(async () => {
    payments = await Payments.start();
    lib = await CompiledLib.make({ whole: true });
  }, PATIENCE);

  afterAll(async () => {
    await lib.remove();
    await payments.stop();
  }, PATIENCE);

  const run = async (key: string, death: string): Promise<string> => {
    const { token, owner } = payments.attempt();
    const child = await lib.run(SCRIPT, [payments.postgres.url, key, `${token}`, owner, death]);
    let said = '';
    child.stdout!.on('data', (text: Buffer) => (said += text.toString()));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect([code, signal]).toEqual(death === '' ? [0, null] : [null, 'SIGKILL']);
    return said;
  };

  it.each(DEATHS)('after this has paid once when it is asked again: %s', async (death) => {
    const key = randomUUID();
    expect(await run(key, death)).toBe('');
    const told = await run(key, '');
    expect(await payments.paid(key)).toEqual([told]);
    expect(await run(key, '')).toBe(told);
  });
});

const SCRIPT = `
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { postgresStore } from './idempotency/stores/postgres-store.js';

const [url, key, token, owner, death] = process.argv.slice(2);
const dieAfter = (step) => { if (step === death) process.kill(process.pid, 'SIGKILL'); };
const pool = new pg.Pool({ connectionString: url });
const store = postgresStore({ query: (text, values) => pool.query(text, values) });
const attempt = { token: Number(token), owner, fingerprint: null };
const opened = await store.open(key, attempt, 600_000);
dieAfter('open');
let told = opened.kept?.record;
if (told === undefined) {
  told = randomUUID();
  const client = await pool.connect();
  await client.query('BEGIN');
  dieAfter('begin');
  await client.query('INSERT INTO payments VALUES ($1, $2)', [told, key]);
  dieAfter('effect');
  if ((await store.keepIn(client, key, attempt, told, 600_000)) !== 'settled') throw new Error('superseded');
  dieAfter('record');
  const committing = client.query('COMMIT');
  if (death === 'commit') setImmediate(() => dieAfter('commit'));
  await committing;
  dieAfter('commit');
  dieAfter('answer');
  client.release();
}
process.stdout.write(told);
await pool.end();
`;

/** Closes the connection as the end of its process does: what was sent may arrive. */
function destroy(client: PoolClient): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
