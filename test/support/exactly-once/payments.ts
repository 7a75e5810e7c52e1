import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import {
  type Attempt,
  type OnceCall,
  postgresReplyTable,
  type PostgresStore,
  postgresStore,
  type Sql,
} from 'nestjs-redlock/idempotency';
import { startPostgres, type Postgres } from '../postgres.js';

export interface Receipt {
  readonly id: string;
  readonly order: string;
}

/** Pays in a transaction, as the programs of docs/recipes/exactly-once.md do. */
export type Pay = (call: OnceCall, order: string) => Promise<Receipt>;

/** After which statement an attempt dies: of the transaction, or without a word after its commit. */
export const DEATHS = ['open', 'effect', 'record', 'commit'] as const;
export type Death = (typeof DEATHS)[number];

/** Ms. */
const KEEP = 600_000;

/** What a test does within an attempt, before and after `keepIn`. */
export interface Hooks {
  readonly before?: (transaction: Sql) => Promise<void>;
  readonly after?: (transaction: Sql) => Promise<void>;
}

/** A real Postgres with the table of replies and one of payments, which refuses no second payment of an order. */
export class Payments {
  readonly store: PostgresStore;
  #token = Date.now() * 1_000;

  private constructor(
    readonly postgres: Postgres,
    /** For what a test looks at, and for the statements of the store. */
    readonly pool: Pool,
  ) {
    this.store = postgresStore({ query: (text, values) => pool.query(text, values) });
  }

  static async start(): Promise<Payments> {
    const postgres = await startPostgres();
    const payments = new Payments(postgres, quietPool(postgres.url, 20));
    await payments.pool.query(postgresReplyTable());
    await payments.pool.query('CREATE TABLE IF NOT EXISTS payments (id text PRIMARY KEY, order_id text NOT NULL)');
    return payments;
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.postgres.stop();
  }

  /** A later one has a greater token. */
  attempt(): Attempt {
    this.#token += 1;
    return { token: this.#token, owner: randomUUID(), fingerprint: null };
  }

  async paid(order: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT id FROM payments WHERE order_id = $1', [order]);
    return rows.map(({ id }) => id);
  }

  /** Asks as a client does until it has an answer: each attempt but the last one dies. */
  async payDespite(deaths: readonly Death[], pay: Pay, order: string): Promise<Receipt> {
    for (const death of deaths) {
      const receipt = await this.#try(pay, order, death);
      if (receipt !== undefined) return receipt;
    }
    const receipt = await this.#try(pay, order);
    if (receipt === undefined) throw new Error(`the last attempt for ${order} has paid nothing`);
    return receipt;
  }

  /** What an attempt is told; undefined if it died. */
  async #try(pay: Pay, order: string, death?: Death): Promise<Receipt | undefined> {
    const attempt = this.attempt();
    const opened = await this.store.open(order, attempt, KEEP);
    if (opened.kind === 'kept') return JSON.parse(opened.kept.record) as Receipt;
    if (opened.kind === 'superseded' || death === 'open') return undefined;
    const kill = (transaction: Sql): Promise<void> => this.kill(transaction);
    const hooks = death === 'effect' ? { before: kill } : death === 'record' ? { after: kill } : {};
    const paying = pay(this.call(order, attempt, hooks), order);
    if (death === 'effect' || death === 'record') return paying.then(unexpected, () => undefined);
    const receipt = await paying;
    return death === 'commit' ? undefined : receipt;
  }

  /** What the work of an attempt is given, as far as these programs look at it. */
  call(key: string, attempt: Attempt, { before, after }: Hooks = {}): OnceCall {
    const keepIn = async (transaction: Sql, value: unknown): Promise<void> => {
      await before?.(transaction);
      const kept = await this.store.keepIn(transaction, key, attempt, JSON.stringify(value), KEEP);
      if (kept === 'superseded') throw new Error('IDEMPOTENCY_SUPERSEDED');
      await after?.(transaction);
    };
    return { key, attempt: 1, previous: 'none', fencingToken: attempt.token, keepIn } as unknown as OnceCall;
  }

  /** Ends the connection of a transaction, as the death of its process does. */
  async kill(transaction: Sql): Promise<void> {
    const result = await transaction.query('SELECT pg_backend_pid() AS pid', []);
    const [row] = (Array.isArray(result) ? result : result.rows) as { pid: number }[];
    await this.pool.query('SELECT pg_terminate_backend($1, 10000)', [row!.pid]);
  }
}

function unexpected(): never {
  throw new Error('an attempt has paid that had lost its connection');
}

/** A pool whose connections may end while they are in use. */
export function quietPool(url: string, max: number): Pool {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
