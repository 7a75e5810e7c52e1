/**
 * No unique index on `email`, on purpose: this application shows what the lock alone does. A real one has the index AND
 * the lock. The index keeps the second row out, but only at the end of the sign-up, when the bonus is paid for a second
 * time already; the lock keeps the second sign-up from beginning.
 *
 * Sent as one query, so that it is one transaction: replicas that start at the same moment take turns.
 */
export const SCHEMA = `
  select pg_advisory_xact_lock(20260);
  create table if not exists users (
    id integer generated always as identity primary key,
    email text not null,
    name text not null,
    signed_up_at timestamptz not null default now()
  );
  create index if not exists users_email on users (email);
  create table if not exists bonuses (
    id integer generated always as identity primary key,
    email text not null,
    paid_at timestamptz not null default now()
  );
  create index if not exists bonuses_email on bonuses (email);
`;
