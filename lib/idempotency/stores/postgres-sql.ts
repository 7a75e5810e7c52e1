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

const NOW = 'statement_timestamp()';
/** `CAST`, and not `::`, which query builders take for a parameter with a name. Each value stands there once, and in order. */
const EXPIRY = `${NOW} + CAST($6 AS double precision) * interval '1 millisecond'`;
const MINE = '(r.fence, r.owner) = (excluded.fence, excluded.owner)';
const NOT_LATER = '(r.fence, r.owner) <= (excluded.fence, excluded.owner)';
const EXPIRED = `r.expires_at <= ${NOW}`;

/**
 * Returns the statements of `postgresStore`. Each is an `INSERT` or a `SELECT` for the driver, because some drivers return no plain rows for others.
 * @param table its quoted name
 */
export function statementsFor(table: string) {
  return {
    open: open(table),
    read: `SELECT fence, owner, fingerprint, record FROM ${table} r WHERE key = $1 AND NOT (${EXPIRED})`,
    settle: settle(
      table,
      `${EXPIRED} OR (${NOT_LATER} AND r.record IS NULL) OR (${MINE} AND r.record = excluded.record)`,
    ),
    // A second effect of the same attempt must not pass: its first one may have been committed without a word.
    keepIn: settle(table, `${NOT_LATER} AND (r.record IS NULL OR ${EXPIRED})`),
    clear: `WITH gone AS (DELETE FROM ${table} WHERE key = $1 AND fence = CAST($2 AS bigint) AND owner = $3 AND record IS NULL AND attempts = 1 RETURNING 1)
      SELECT count(*) AS count FROM gone`,
    forget: `WITH gone AS (DELETE FROM ${table} r WHERE key = $1 RETURNING ${EXPIRED} AS expired)
      SELECT count(*) AS count FROM gone WHERE NOT expired`,
    describe: infos(table, 'key = $1'),
    list: `${infos(table, 'key LIKE $1')} ORDER BY key LIMIT CAST($2 AS integer)`,
    sweep: sweep(table),
  };
}

function open(table: string): string {
  const unless = (value: string, own: string, otherwise: string): string =>
    `CASE WHEN ${EXPIRED} THEN ${value} WHEN ${MINE} THEN ${own} ELSE ${otherwise} END`;
  return `INSERT INTO ${table} AS r (key, fence, owner, fingerprint, record, expires_at)
    VALUES ($1, CAST($2 AS bigint), $3, CAST($4 AS text), CAST($5 AS text), ${EXPIRY})
    ON CONFLICT (key) DO UPDATE SET fence = excluded.fence, owner = excluded.owner, fingerprint = excluded.fingerprint, record = NULL,
      attempts = ${unless('1', 'r.attempts', 'r.attempts + 1')},
      earlier = ${unless('NULL', 'r.earlier', 'r.fingerprint')},
      opened_at = ${unless(NOW, 'r.opened_at', NOW)},
      expires_at = GREATEST(excluded.expires_at, r.expires_at)
    WHERE ${EXPIRED} OR (r.record IS NULL AND ${NOT_LATER})
    RETURNING attempts, earlier`;
}

function settle(table: string, condition: string): string {
  return `INSERT INTO ${table} AS r (key, fence, owner, fingerprint, record, expires_at)
    VALUES ($1, CAST($2 AS bigint), $3, CAST($4 AS text), CAST($5 AS text), ${EXPIRY})
    ON CONFLICT (key) DO UPDATE SET fence = excluded.fence, owner = excluded.owner, fingerprint = excluded.fingerprint,
      record = excluded.record, expires_at = excluded.expires_at
    WHERE ${condition}
    RETURNING 1 AS settled`;
}

function infos(table: string, condition: string): string {
  return `SELECT key, record IS NOT NULL AS kept, attempts, COALESCE(octet_length(record), 0) AS size,
      CAST(extract(epoch FROM ${NOW} - opened_at) * 1000 AS double precision) AS age,
      CAST(extract(epoch FROM expires_at - ${NOW}) * 1000 AS double precision) AS expires_in
    FROM ${table} r WHERE ${condition} AND NOT (${EXPIRED})`;
}

function sweep(table: string): string {
  const expired = `SELECT key FROM ${table} r WHERE ${EXPIRED} ORDER BY expires_at LIMIT CAST($1 AS integer) FOR UPDATE SKIP LOCKED`;
  return `WITH gone AS (DELETE FROM ${table} r WHERE key = ANY(ARRAY(${expired})) AND ${EXPIRED} RETURNING 1)
    SELECT count(*) AS count FROM gone`;
}
