import type { Random } from '../collections/random.js';

/** Ms: however short the lease, its extensions keep this distance. */
const CLOSEST = 5;

/** Ms until a lease of `ttl` ms is extended by itself: a third of it, up to a tenth of that sooner or later. */
export function renewalIn(ttl: number, random: Random): number {
  return Math.max(CLOSEST, (ttl / 3) * (0.9 + random.fraction() * 0.2));
}

/** Ms until a failed extension is tried again, so that several tries fit into the `left` ms. */
export function renewalRetryIn(ttl: number, left: number): number {
  return Math.max(CLOSEST, Math.min(ttl / 10, left / 3));
}

/** Why a lease ended that nobody gave back, after so many ms. */
export function whyOver({ autoExtend, maxHold }: { autoExtend: boolean; maxHold: number }, held: number): string {
  const heldTooLong = autoExtend && held >= maxHold;
  return heldTooLong ? `extended for maxHold, ${maxHold} ms, and no longer` : 'its lease ran out';
}
