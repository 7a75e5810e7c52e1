import type { Random } from './random.js';

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
