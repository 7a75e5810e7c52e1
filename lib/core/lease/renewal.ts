import type { Random } from '../collections/random.js';

/** Ms: the shortest time between two extensions, however short the lease is. */
const CLOSEST = 5;

/** Returns the ms until a lease of `ttl` ms is extended automatically: a third of the ttl, up to 10 % of that sooner or later. */
export function renewalIn(ttl: number, random: Random): number {
  return Math.max(CLOSEST, (ttl / 3) * (0.9 + random.fraction() * 0.2));
}

/** Returns the ms until a failed extension is tried again, so that several attempts fit into the `remaining` ms. */
export function renewalRetryIn(ttl: number, remaining: number): number {
  return Math.max(CLOSEST, Math.min(ttl / 10, remaining / 3));
}

/** Returns the reason why a lease ended without a release after `held` ms, in words for an error. */
export function whyOver({ autoExtend, maxHold }: { autoExtend: boolean; maxHold: number }, held: number): string {
  const heldTooLong = autoExtend && held >= maxHold;
  return heldTooLong ? `extended for maxHold, ${maxHold} ms, and no longer` : 'its lease ran out';
}
