/** A lock that is held, and the handle by which its holder keeps, checks and gives it back. */
export interface Lock {
  /** What is locked, as it was asked for. */
  readonly resources: readonly string[];
  /** The owner's random mark under the keys on the nodes; callers of a process whom one lock passes to share it. */
  readonly value: string;
  /**
   * Greater than that of every earlier holder of the same resource (Kleppmann 2016): store it with what the lock guards, and
   * refuse writes that come with a smaller one. A safe integer.
   */
  readonly fencingToken: number;
  /** Ms for which the lock is still provably ours; 0 once it is released or lost. */
  readonly validity: number;
  /** True while nobody else can have the lock. */
  readonly isValid: boolean;
  /** Aborts with a `LockLostError` before anyone else can have the lock. */
  readonly signal: AbortSignal;
  /**
   * Checks on the clock, not by a timer, that at least `minimumMs` ms are left.
   * @throws LockLostError
   */
  assertValid(minimumMs?: number): void;
  /**
   * Makes the lease end `ttl` ms from now, by default the ttl it was taken with. One that is shorter than what is left counts for
   * this holder only: the nodes keep the longer one until the release, since what is on its way to them may arrive in another order.
   * @throws LockLostError where it is gone; QuorumNotReachedError where too few nodes answered: what is left of the lease, or
   * of a shorter new one, still stands; RangeError for a wrong ttl
   */
  extend(ttl?: number): Promise<void>;
  /** Gives the lock back on every node, where `minHold` says so not before that; never fails, also where it was already gone. */
  release(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
