/** A lock of another library, as its holder has it. */
export interface RivalLock {
  /** Returns whether the library tells its holder that the lock goes on. Undefined where it cannot be extended. */
  readonly extend: ((ttl: number) => Promise<boolean>) | undefined;
  release(): Promise<void>;
}

/** One client of another library. */
export interface Rival {
  /**
   * Tries once; resolves to undefined where it is told that another client holds the lock, or that there was an error.
   */
  take(name: string, ttl: number): Promise<RivalLock | undefined>;
  close(): Promise<void>;
}

/**
 * What is expected where its holder extends a lock after its lease has ended, and after another client had the lock.
 */
export type LateExtension = 'is told' | 'believes it' | 'cannot extend';

/** Another lock library beside ours. */
export interface Library {
  readonly name: string;
  readonly source: 'package' | 'dialect';
  /** The `keyPrefix` of ours that leads to the same keys. */
  readonly keyPrefix: string;
  /** How many of the nodes it uses. */
  readonly nodes: 1 | 3;
  readonly lateExtension: LateExtension;
  /** Whether its release deletes a key of any holder. */
  readonly deletesAny?: boolean;
  /** Whether its leases end by themselves. @default true */
  readonly expires?: boolean;
  /** Whether it writes other keys, so that both hold a lock of one name. */
  readonly isElsewhere?: boolean;
  connect(urls: readonly string[]): Promise<Rival>;
}
