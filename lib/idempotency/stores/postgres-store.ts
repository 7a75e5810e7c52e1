import { mistake } from '../../engine/codes.js';
import type { Attempt, Kept, Opened, Peeked, RecordInfo, ReplyStore, Sql } from '../reply-store.js';
import { quotedTable, REPLY_TABLE, statementsFor } from './postgres-sql.js';

/** The options of `postgresStore`: a database client, and the table. */
export interface PostgresStoreOptions extends Sql {
  /** The name of the table, or `schema.name`. `postgresReplyTable` returns its definition. @default 'redlock_reply' */
  readonly table?: string;
}

/** How often a key is opened again after its row was deleted between two statements: each time somebody must have deleted it anew. */
const MOST_OPENS = 20;
const SWEPT_AT_ONCE = 1_000;

type Row = Readonly<Record<string, unknown>>;

/**
 * Keeps replies in a table of PostgreSQL, also within your transactions.
 * @hideconstructor
 */
export class PostgresStore implements ReplyStore {
  readonly #sql: ReturnType<typeof statementsFor>;

  /** @internal */
  constructor(private readonly database: PostgresStoreOptions) {
    this.#sql = statementsFor(quotedTable(database.table ?? REPLY_TABLE));
  }

  async peek(key: string): Promise<Peeked> {
    const row = await this.#read(key);
    if (row === undefined) return { kind: 'none' };
    const kept = keptOf(row);
    return kept === undefined ? { kind: 'running', fingerprint: textOf(row['fingerprint']) } : { kind: 'kept', kept };
  }

  async open(key: string, attempt: Attempt, keep: number): Promise<Opened> {
    for (let opens = 0; opens < MOST_OPENS; opens += 1) {
      const [opened] = await this.#query(this.#sql.open, valuesOf(key, attempt, null, keep));
      if (opened !== undefined) return openedOf(opened);
      const row = await this.#read(key);
      // It has expired, or was cleared or forgotten, between the two statements.
      if (row === undefined) continue;
      const kept = keptOf(row);
      if (kept !== undefined) return { kind: 'kept', kept };
      if (isLater(row, attempt)) return { kind: 'superseded' };
    }
    throw new Error(`the record of a key is deleted again and again while it is opened: ${MOST_OPENS} times`);
  }

  async settle(key: string, attempt: Attempt, record: string, keep: number): Promise<'settled' | 'superseded'> {
    return settledOf(await this.#query(this.#sql.settle, valuesOf(key, attempt, record, keep)));
  }

  /** The last statement of a transaction: locks the row until the transaction has ended. */
  // oxlint-disable-next-line eslint/max-params -- as the port has it
  async keepIn(
    transaction: Sql,
    key: string,
    attempt: Attempt,
    record: string,
    keep: number,
  ): Promise<'settled' | 'superseded'> {
    return settledOf(rowsOf(await transaction.query(this.#sql.keepIn, valuesOf(key, attempt, record, keep))));
  }

  async clear(key: string, attempt: Attempt): Promise<void> {
    await this.#query(this.#sql.clear, [key, attempt.token, attempt.owner]);
  }

  async forget(key: string): Promise<boolean> {
    return (await this.#count(this.#sql.forget, [key])) > 0;
  }

  async describe(key: string): Promise<RecordInfo | undefined> {
    const [row] = await this.#query(this.#sql.describe, [key]);
    return row && infoOf(row);
  }

  async *list(pattern: string, limit: number): AsyncIterable<RecordInfo> {
    const like = pattern.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('*', '%');
    for (const row of await this.#query(this.#sql.list, [like, limit])) yield infoOf(row);
  }

  /**
   * Deletes what has expired, in batches, and skips rows that are in use; returns how many were deleted.
   * @param limit rows of a batch @default 1,000
   */
  async sweep(limit = SWEPT_AT_ONCE): Promise<number> {
    if (!Number.isInteger(limit) || limit < 1)
      throw mistake('REDLOCK_E03', `limit must be a whole number from 1; got ${limit}`);
    let total = 0;
    for (;;) {
      const count = await this.#count(this.#sql.sweep, [limit]);
      total += count;
      if (count < limit) return total;
    }
  }

  async #read(key: string): Promise<Row | undefined> {
    return (await this.#query(this.#sql.read, [key]))[0];
  }

  async #count(text: string, values: unknown[]): Promise<number> {
    return Number((await this.#query(text, values))[0]?.['count'] ?? 0);
  }

  async #query(text: string, values: unknown[]): Promise<Row[]> {
    return rowsOf(await this.database.query(text, values));
  }
}

/**
 * Keeps replies in a table of PostgreSQL. Pass a client that commits each statement by itself, such as a pool.
 * @throws TypeError for a malformed name of a table
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(options);
}

function valuesOf(key: string, attempt: Attempt, record: string | null, keep: number): unknown[] {
  return [key, attempt.token, attempt.owner, attempt.fingerprint, record, keep];
}

function rowsOf(result: { rows: unknown[] } | unknown[]): Row[] {
  return (Array.isArray(result) ? result : result.rows) as Row[];
}

function openedOf(row: Row): Opened {
  const attempts = Number(row['attempts']) - 1;
  return attempts === 0 ? { kind: 'new' } : { kind: 'interrupted', attempts, fingerprint: textOf(row['earlier']) };
}

function settledOf(rows: readonly Row[]): 'settled' | 'superseded' {
  return rows.length > 0 ? 'settled' : 'superseded';
}

function keptOf(row: Row): Kept | undefined {
  const record = textOf(row['record']);
  return record === null ? undefined : { fingerprint: textOf(row['fingerprint']), record };
}

/** Whether the row is of an attempt with a greater token: a `bigint`, which drivers give as a text, a number or a `BigInt`. */
function isLater(row: Row, { token, owner }: Attempt): boolean {
  const fence = Number(row['fence']);
  return fence > token || (fence === token && String(row['owner']) > owner);
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : (value as string);
}

function infoOf(row: Row): RecordInfo {
  return {
    key: row['key'] as string,
    state: row['kept'] === true ? 'kept' : 'running',
    attempts: Number(row['attempts']),
    age: Number(row['age']),
    expiresIn: Number(row['expires_in']),
    size: Number(row['size']),
  };
}
