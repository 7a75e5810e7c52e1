/** One run for a key. A later attempt has a greater token. */
export interface Attempt {
  /** The fencing token of the lock under which the attempt runs. */
  readonly token: number;
  /** The value of that lock, which is unique. */
  readonly owner: string;
  /** A hash of the request; null if requests are not compared. */
  readonly fingerprint: string | null;
}

/** What an attempt has kept. */
export interface Kept {
  /** The fingerprint of the attempt. */
  readonly fingerprint: string | null;
  /** The record as text. This package alone reads it. */
  readonly record: string;
}

/** What an attempt finds when it opens a key. */
export type Opened =
  /** Nothing was there. */
  | { readonly kind: 'new' }
  /** Earlier attempts opened the key, and neither settled nor cleared it. */
  | { readonly kind: 'interrupted'; readonly attempts: number; readonly fingerprint: string | null }
  /** A record is kept. */
  | { readonly kind: 'kept'; readonly kept: Kept }
  /** An attempt with a greater token has opened the key. */
  | { readonly kind: 'superseded' };

/** What a reader without a lock finds. The newest change may be missing. */
export type Peeked =
  | { readonly kind: 'none' }
  | { readonly kind: 'kept'; readonly kept: Kept }
  | { readonly kind: 'running'; readonly fingerprint: string | null };

/** What operators see of a key. The reply is left out. */
export interface RecordInfo {
  /** The key. */
  readonly key: string;
  /** Whether a record is kept, or an attempt is running. */
  readonly state: 'kept' | 'running';
  /** How many attempts have opened the key. */
  readonly attempts: number;
  /** Ms since the latest attempt opened the key. */
  readonly age: number;
  /** Ms until the record expires. */
  readonly expiresIn: number;
  /** Bytes of the record; 0 while nothing is kept. */
  readonly size: number;
}

/**
 * Keeps one record for each key. After `open`, attempts with a smaller token cannot settle. A settled record stays the same until `keep` is over
 * (single-decree Paxos with the fencing token as ballot). A store rejects if the outcome of an operation is unknown. `replyStoreContract` of
 * `nestjs-redlock/testing` checks a store.
 */
export interface ReplyStore {
  /** True if `settle` reaches the nodes of the lock in one call with a release of the same turn. @default false */
  readonly isOnLockNodes?: boolean;
  /** Returns what is there, and changes nothing. */
  peek(key: string): Promise<Peeked>;
  /** Marks the key for an attempt, for at least `keep` ms, and returns what was there. A repeated call changes the fingerprint only. */
  open(key: string, attempt: Attempt, keep: number): Promise<Opened>;
  /** Keeps a record for `keep` ms, unless an attempt with a greater token has opened the key. The call may be repeated. */
  settle(key: string, attempt: Attempt, record: string, keep: number): Promise<'settled' | 'superseded'>;
  /** Removes the mark of an attempt that has kept nothing. What an earlier, interrupted attempt has left stays marked. */
  clear(key: string, attempt: Attempt): Promise<void>;
  /** Removes everything under the key. Returns false if nothing was there. */
  forget(key: string): Promise<boolean>;
  /** Returns what operators see of a key; undefined if nothing is there. */
  describe(key: string): Promise<RecordInfo | undefined>;
  /** Lists up to `limit` records whose keys match a pattern with `*`. @default the store cannot list */
  list?(pattern: string, limit: number): AsyncIterable<RecordInfo>;
  /** Bytes of the largest record. @default no limit */
  readonly maxRecordBytes?: number;
  /** Returns whether the store is too full for whole replies. @default never */
  isFull?(): boolean;
  /** Closes the connections of the store at shutdown. @default nothing to close */
  close?(): Promise<void>;
  /** Keeps a record within your transaction. @default the store has no transactions */
  keepIn?(
    transaction: Sql,
    key: string,
    attempt: Attempt,
    record: string,
    keep: number,
  ): Promise<'settled' | 'superseded'>;
}

/** A client of a database, such as a client of `pg` or a manager of TypeORM. */
export interface Sql {
  /** Runs one statement with values for `$1`, `$2` and so on. */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] } | unknown[]>;
}
