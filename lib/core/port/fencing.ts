import { hashOf } from '../collections/hash.js';

/**
 * How many fencing tokens come with a vote where other callers of the process want the lock too: the one that it answers, and those
 * that follow it, for callers to whom the lock passes before the nodes are asked again. Everywhere else it is one: what is taken
 * without need makes counters outrun the clock, by which they begin after a node has lost its memory.
 */
export const TOKENS_PER_VOTE = 64;

/** Why a node gives no vote whose counter has outrun its clock by so many ms. */
export function outrun(ms: number): string {
  return `its fence counters are ${Math.round(ms)} ms ahead of its clock, more than half of maxTtl`;
}

/**
 * The fencing token that the votes of `fences` give: the smallest one that a quorum of them does not exceed, so that it is
 * greater than every token given before; undefined where there is no quorum. (Not the greatest: a holder that did not see it
 * would get the same one again.)
 */
export function tokenOf(fences: readonly number[], quorum: number): number | undefined {
  if (fences.length < quorum) return undefined;
  return [...fences].sort((a, b) => a - b)[quorum - 1];
}

/** Whether the counters of a quorum have at least `token`, so that every later holder meets one of them. */
export function stands(fences: readonly number[], quorum: number, token: number): boolean {
  return fences.filter((fence) => fence >= token).length >= quorum;
}

/** What a client proposes to all nodes at a moment: its wall clock in microseconds, exact until the year 2255. */
export function proposalAt({ wall }: { readonly wall: number }): number {
  return Math.round(wall * 1_000);
}

/**
 * Which of a node's 32,768 fence counters counts for a resource, three characters; the same for all clients. Resources that share
 * one make each other's tokens skip numbers, and nothing else: so counters need no end, and still there is a bound to them.
 */
export function counterOf(resource: string): string {
  const hash = hashOf(resource);
  return String.fromCharCode(digit(hash >>> 10), digit(hash >>> 5), digit(hash));
}

/** Of 32: 0 to 9, then a to v. */
function digit(number: number): number {
  const value = number & 31;
  return value < 10 ? 48 + value : 87 + value;
}
