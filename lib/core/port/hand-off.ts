/** Ms for which a waiter insists on votes that are split before it looks whether their other owners are alive. */
export const SPLIT_VOTE_GRACE = 500;

/** The share of a whole lease that a granted lock must still have; with less, the waiter asks for a whole lease before it begins. */
export const LEAST_SHARE_LEFT = 0.92;

/**
 * Ms after the first holder of a lock took it, within which later callers of the same process count as having come together with it: the
 * lock may pass to them without asking the nodes who came first. Clocks of different machines seldom agree better than that.
 */
export const PASSING_WINDOW = 5;

/** The share of the ttl that may already be used up when a lock passes to the next caller of the same process. */
export const PASSING_SHORTFALL = 0.05;

/** Ms after which a waiter asks again at the latest. A node forgets a line of which it has heard nothing for twice as long. */
export const WAITER_HEARTBEAT = 30_000;
