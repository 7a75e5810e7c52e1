import { mistake } from '../../engine/codes.js';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Postgres cuts longer names off; the name of the index is 8 longer. */
const LONGEST_NAME = 55;

/** The table of replies unless another is named. */
export const REPLY_TABLE = 'redlock_reply';

/**
 * Returns the SQL that creates the table of `postgresStore`, for a migration.
 * @param table The name of the table, or `schema.name`.
 * @throws TypeError for a malformed name of a table
 */
export function postgresReplyTable(table: string = REPLY_TABLE): string {
  const parts = partsOf(table);
  return `CREATE TABLE IF NOT EXISTS ${quoted(parts)} (
  key         text        PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 512),
  fence       bigint      NOT NULL,             -- fencing token of the latest attempt
  owner       text        NOT NULL COLLATE "C", -- value of its lock
  attempts    integer     NOT NULL DEFAULT 1,
  fingerprint text,                             -- of the latest attempt
  earlier     text,                             -- fingerprint of the attempt before it
  record      text,                             -- null: opened, not settled
  opened_at   timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${parts.at(-1)}_expires" ON ${quoted(parts)} (expires_at);
`;
}

/** Returns the name of a table as it may stand in SQL. */
export function quotedTable(table: string): string {
  return quoted(partsOf(table));
}

function partsOf(table: string): string[] {
  const parts = table.split('.');
  if (parts.length > 2 || !parts.every((part) => NAME.test(part) && part.length <= LONGEST_NAME))
    throw mistake(
      'REDLOCK_E03',
      `table must be a name, or schema.name, of letters, digits and _, at most ${LONGEST_NAME} each; got ${JSON.stringify(table)}`,
    );
  return parts;
}

function quoted(parts: readonly string[]): string {
  return parts.map((part) => `"${part}"`).join('.');
}
