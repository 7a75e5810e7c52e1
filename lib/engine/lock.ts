/** A lock that you hold. */
export interface Lock {
  /** The locked resources, as the caller named them. */
  readonly resources: readonly string[];
  /** The value of the lock on the nodes. If a lock passes on within a process, its callers share the value. */
  readonly value: string;
  /**
   * A safe integer, greater than the token of every earlier holder of the resource. Store the token with your data, and reject writes with a
   * smaller token.
   */
  readonly fencingToken: number;
  /** Which slot the lock has, from 0 to `limit` - 1; undefined without `limit`, and with `take: 'all'`. */
  readonly slot?: number | undefined;
  /** Ms for which the lock is still provably yours; 0 once the lock is released or lost. */
  readonly validity: number;
  /** True while the lock is provably yours. */
  readonly isValid: boolean;
  /** Aborts with a `LockLostError` when the lock is lost, before another caller can have the lock. */
  readonly signal: AbortSignal;
  /**
   * Checks that the lock is valid for at least `minimumMs` ms more. The method reads the clock.
   * @throws LockLostError if the lock is lost, or valid for a shorter time
   */
  assertValid(minimumMs?: number): void;
  /**
   * Sets the end of the lease to `ttl` ms from now. The default is the `ttl` of the lock. A shorter lease counts for this holder only; the nodes
   * keep the longer lease until the release.
   * @throws LockLostError if the lock is lost; QuorumNotReachedError if too few nodes answered, and the old lease stands; RangeError for a
   * wrong ttl
   */
  extend(ttl?: number): Promise<void>;
  /**
   * Releases the lock once its `minHold` ends: it passes to the next caller of this process, or is released on every node. The promise always
   * resolves, even if the lock was lost: at once if it passes, else after the answer of a quorum, or once all nodes have answered or timed out.
   */
  release(): Promise<void>;
  /** Releases the lock, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
