/** Ms for which a waiter insists on votes that are split before it looks whether their other owners are alive. */
export const GRACE = 500;

/** The share of a whole lease that must be left where nodes granted it in their own time; with less the waiter asks for a whole one. */
export const ENOUGH = 0.92;

/**
 * Ms: a caller that came within this time after the first holder of a lock may have it from others of its process, without the nodes being
 * asked who came first; clocks of different machines seldom agree better on that.
 */
export const PASSING_WINDOW = 5;

/** The share of its ttl that a caller may lack that has a lock from others of its process. */
export const PASSING_SHORTFALL = 0.05;

/** Ms after which a waiter asks again at the latest: nodes forget lines of which they hear nothing for twice as long. */
export const SIGN_OF_LIFE = 30_000;
