/** One execution for a key, as a store tells it from others: a later attempt has a greater token. */
export interface Attempt {
  /** The fencing token of the lock under which the attempt runs. */
  readonly token: number;
  /** The value of that lock: nobody else has it. */
  readonly owner: string;
  /** What the request was like, hashed; null if requests are not compared. */
  readonly fingerprint: string | null;
}

/** What stands under a key once an attempt has settled it. */
export interface Kept {
  readonly fingerprint: string | null;
  /** One text, which only this package reads. */
  readonly record: string;
}

/** What an attempt finds when it opens a key. */
export type Opened =
  | { readonly kind: 'new' }
  /** Attempts before this one have opened the key, and neither settled nor cleared it. */
  | { readonly kind: 'interrupted'; readonly attempts: number; readonly fingerprint: string | null }
  | { readonly kind: 'kept'; readonly kept: Kept }
  /** An attempt with a greater token has opened the key. */
  | { readonly kind: 'superseded' };

/** What a reader without a lock finds. It may miss what an attempt has just done, and never tells what was not settled. */
export type Peeked =
  | { readonly kind: 'none' }
  | { readonly kind: 'kept'; readonly kept: Kept }
  | { readonly kind: 'running'; readonly fingerprint: string | null };

/** What operators see of a key; never the reply. */
export interface RecordInfo {
  readonly key: string;
  readonly state: 'kept' | 'running';
  /** How many attempts have opened the key. */
  readonly attempts: number;
  /** Ms since the latest attempt has opened the key. */
  readonly age: number;
  /** Ms until the record is forgotten. */
  readonly expiresIn: number;
  /** Bytes of the record; 0 while nothing is kept. */
  readonly size: number;
}

/**
 * Keeps one record for each key. The record is a register: `open` promises that no attempt with a smaller token settles afterwards, and what was
 * settled once stays the same until `keep` is over (single-decree Paxos, with the fencing token as ballot). A store rejects if it does not know what
 * became of a call. `replyStoreContract` of `nestjs-redlock/testing` checks a store.
 */
export interface ReplyStore {
  /** True if `settle` reaches the nodes of the lock in one call with a release of the same turn. @default false */
  readonly isOnLockNodes?: boolean;
  /** Reads without a promise. */
  peek(key: string): Promise<Peeked>;
  /** Reads, and promises. The mark of the attempt lasts at least `keep` ms. Repeating the call of an attempt changes nothing but the fingerprint. */
  open(key: string, attempt: Attempt, keep: number): Promise<Opened>;
  /** Keeps a record for `keep` ms from now on, unless an attempt with a greater token has opened the key. Repeating it is harmless. */
  settle(key: string, attempt: Attempt, record: string, keep: number): Promise<'settled' | 'superseded'>;
  /** Removes the mark of an attempt that has kept nothing, so that the next one finds nothing. */
  clear(key: string, attempt: Attempt): Promise<void>;
  /** Takes back what an attempt has opened that does not run. @default the attempt stays, with the fingerprint of the one before */
  withdraw?(key: string, attempt: Attempt): Promise<void>;
  /** Removes everything under the key; false if there was nothing. */
  forget(key: string): Promise<boolean>;
  /** Tells operators about a key; undefined if there is nothing. */
  describe(key: string): Promise<RecordInfo | undefined>;
  /** Lists at most `limit` records whose keys match a pattern with `*`. @default the store cannot list */
  list?(pattern: string, limit: number): AsyncIterable<RecordInfo>;
  /** Bytes of a record at most. @default any number */
  readonly maxRecordBytes?: number;
  /** Whether the store is so full that replies must not be kept whole. @default never */
  isFull?(): boolean;
  /** Ends what the store has opened; called when the application shuts down. */
  close?(): Promise<void>;
  /** Keeps a record within a transaction of the application. @default the store cannot */
  keepIn?(
    transaction: Sql,
    key: string,
    attempt: Attempt,
    record: string,
    keep: number,
  ): Promise<'settled' | 'superseded'>;
}

/** Runs one statement with values for `$1`, `$2`, ..; such as a client of `pg`, or a manager of TypeORM. */
export interface Sql {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] } | unknown[]>;
}
