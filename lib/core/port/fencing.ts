import { hashOf } from '../collections/hash.js';

/**
 * How many fencing tokens a caller asks for with a vote if other callers of its process want the lock too: one for the first holder, and
 * the following ones for the callers that the lock passes to before the nodes are asked again. Otherwise it asks for one token, since
 * unused tokens let the counters run ahead of the clock, and a node that has lost its memory starts its counters at the clock.
 */
export const TOKENS_PER_VOTE = 64;

/**
 * How many fencing tokens come with a grant, always: nobody tells the node how many the waiter wants. The waiter counts on this number
 * whichever process had the node grant the resource, so that it has to be the same for all versions of this library.
 */
export const TOKENS_PER_GRANT = 64;

/** Returns the reason why a node refuses a vote if its fence counters are `ms` ahead of its clock. */
export function outrun(ms: number): string {
  return `its fence counters are ${Math.round(ms)} ms ahead of its clock, more than half of maxTtl`;
}

/**
 * Returns the fencing token that votes with these `fences` give: the smallest number that a quorum of them does not exceed. It is
 * greater than every token given before. Returns undefined if there is no quorum. (Not the greatest: a holder that did not see it
 * would get the same one again.)
 */
export function tokenOf(fences: readonly number[], quorum: number): number | undefined {
  if (fences.length < quorum) return undefined;
  return [...fences].sort((a, b) => a - b)[quorum - 1];
}

/** Returns whether the counters of a quorum have reached `token`, so that every later holder gets a vote with one of them. */
export function stands(fences: readonly number[], quorum: number, token: number): boolean {
  return fences.filter((fence) => fence >= token).length >= quorum;
}

/** Returns the fencing token that a client proposes to all nodes: its wall clock in microseconds, exact until the year 2255. */
export function proposalAt({ wall }: { readonly wall: number }): number {
  return Math.round(wall * 1_000);
}

/**
 * Returns which of the 32,768 fence counters of a node belongs to a resource, as three characters; the same for all clients. Resources
 * that share a counter make each other's tokens skip numbers, and nothing else. So counters never have to expire, and there is still a
 * limit to their number.
 */
export function counterOf(resource: string): string {
  const hash = hashOf(resource);
  return String.fromCharCode(digit(hash >>> 10), digit(hash >>> 5), digit(hash));
}

/** Returns the character code of a digit to the base 32: 0 to 9, then a to v. */
function digit(number: number): number {
  const value = number & 31;
  return value < 10 ? 48 + value : 87 + value;
}
