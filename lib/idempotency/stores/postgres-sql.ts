const NOW = 'statement_timestamp()';
/** `CAST`, and not `::`, which query builders take for a parameter with a name. Each value stands there once, and in order. */
const EXPIRY = `${NOW} + CAST($6 AS double precision) * interval '1 millisecond'`;
const MINE = '(r.fence, r.owner) = (excluded.fence, excluded.owner)';
const NOT_LATER = '(r.fence, r.owner) <= (excluded.fence, excluded.owner)';
const EXPIRED = `r.expires_at <= ${NOW}`;

/** The statements of `postgresStore` for its table, whose name is quoted already. */
export interface Statements {
  readonly open: string;
  readonly read: string;
  readonly settle: string;
  readonly keepIn: string;
  readonly clear: string;
  readonly forget: string;
  readonly describe: string;
  readonly list: string;
  readonly sweep: string;
}

/** Writes the statements. All of them are an `INSERT` or a `SELECT` for the driver: of other statements some return no plain rows. */
export function statementsFor(table: string): Statements {
  return {
    open: open(table),
    read: `SELECT fence, owner, fingerprint, record FROM ${table} r WHERE key = $1 AND NOT (${EXPIRED})`,
    settle: settle(
      table,
      `${EXPIRED} OR (${NOT_LATER} AND r.record IS NULL) OR (${MINE} AND r.record = excluded.record)`,
    ),
    // A second effect of the same attempt must not pass: its first one may have been committed without a word.
    keepIn: settle(table, `${NOT_LATER} AND (r.record IS NULL OR ${EXPIRED})`),
    clear: `WITH gone AS (DELETE FROM ${table} WHERE key = $1 AND fence = CAST($2 AS bigint) AND owner = $3 AND record IS NULL RETURNING 1)
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
