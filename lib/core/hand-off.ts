/** Ms for which a node keeps a resource for the waiter that it gave it to: what a waiter that dies then costs the others. */
export const GRACE = 500;

/** The share of the grace that must be left when a quorum has granted it, so that an extension still comes in time. */
export const ENOUGH = 0.25;

/**
 * Ms: who came within this time after the first holder of a lock may have it from others of his process, without the nodes being
 * asked who came first; clocks of different machines seldom agree better on that.
 */
export const PASSING_WINDOW = 5;

/** The share of his ttl that somebody may lack who has a lock from others of his process. */
export const PASSING_SHORTFALL = 0.05;

/** Ms after which a waiter asks again at the latest: nodes forget lines of which they hear nothing for twice as long. */
export const SIGN_OF_LIFE = 30_000;
