/** Ms for which a waiter keeps its votes in a split vote before it checks whether the owners of the other votes are alive. */
export const STALEMATE_GRACE = 500;

/** The share of a whole lease that must be left of a granted lock. With less, the waiter asks for a whole lease before it begins. */
export const LEAST_SHARE_LEFT = 0.92;

/**
 * Ms: callers that come within this time after the first holder took the lock count as having come together with it. The lock may pass to
 * such callers of the same process, and the nodes are not asked who came first. Clocks of different machines seldom agree better than that.
 */
export const PASSING_WINDOW = 5;

/** The share of the ttl that may already be used up when a lock passes to the next caller of the same process. */
export const PASSING_SHORTFALL = 0.05;

/**
 * Ms after which a waiter asks the nodes again at the latest, however long its `retryDelay` is. A node forgets a line after twice this time without
 * any request for it.
 */
export const LONGEST_SILENCE_IN_LINE = 30_000;
