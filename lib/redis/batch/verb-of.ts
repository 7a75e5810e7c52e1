import type { Claim } from '../../core/port/claim.js';
import type { Verb } from './batch.js';

/** The letter of a verb for what a claim is about. */
export function severalOr<V extends 'A' | 'E' | 'F' | 'K' | 'R' | 'S'>(verb: V, claim: Claim): V | Lowercase<V> {
  return claim.resources.length === 1 ? verb : (verb.toLowerCase() as Lowercase<V>);
}

/** How the lease of a claim is set: what is used may only become longer. */
export function extendVerb(claim: Claim): Verb {
  return severalOr(claim.over ? 'K' : 'E', claim);
}

/** How a claim is given back. */
export function releaseVerb(claim: Claim): Verb {
  if (claim.followed) return severalOr('S', claim);
  return claim.ticket ? 'L' : severalOr('R', claim);
}

/** Whether a claim may stand in line after this answer; without one it may all the same. */
export function mayStand(verb: Verb, answer: string): boolean {
  if (verb !== 'W' && verb !== 'Y') return false;
  return answer === 'unknown' || answer === (verb === 'W' ? 'held' : 'passed');
}
