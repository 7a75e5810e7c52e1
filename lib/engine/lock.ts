/** A lock that is held: the handle by which its holder extends, checks and releases it. */
export interface Lock {
  /** The locked resources, as the caller named them. */
  readonly resources: readonly string[];
  /** The random value of the owner under the keys on the nodes. Callers of one process share it if the lock passes from one to the other. */
  readonly value: string;
  /**
   * Greater than the token of every earlier holder of the same resource (Kleppmann 2016): store it with the data that the lock guards,
   * and refuse writes that come with a smaller token. A safe integer.
   */
  readonly fencingToken: number;
  /** Ms for which the holder can still prove that it has the lock; 0 once the lock is released or lost. */
  readonly validity: number;
  /** True while nobody else can have the lock. */
  readonly isValid: boolean;
  /** Aborts with a `LockLostError` when the lock is lost, before anybody else can have it. */
  readonly signal: AbortSignal;
  /**
   * Checks that at least `minimumMs` ms of the lease are left. It reads the clock and does not depend on a timer.
   * @throws LockLostError
   */
  assertValid(minimumMs?: number): void;
  /**
   * Makes the lease end `ttl` ms from now; the default is the ttl that the lock was taken with. If the new lease is shorter than what is
   * left, it counts for this holder only: the nodes keep the longer lease until the release, because commands that are on their way to
   * them may arrive in another order.
   * @throws LockLostError if the lock is gone; QuorumNotReachedError if too few nodes answered: what is left of the lease, or of a
   * shorter new lease, still stands; RangeError for a wrong ttl
   */
  extend(ttl?: number): Promise<void>;
  /** Releases the lock on every node, but not before its `minHold` is over. Never fails, even if the lock was already gone. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
