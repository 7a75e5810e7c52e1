/**
 * How many fencing tokens a vote takes if several callers of a process want the lock: one for the first, and the others for those to whom it
 * passes without the nodes. Otherwise a vote takes one, since unused tokens let the counters run ahead of the clock of the node.
 */
export const MOST_TOKENS = 64;

/** Why a node refuses a vote whose token would be too far from its clock. */
export const CLOCKS_APART =
  'its clock is more than maxTtl / 2 from that of the other nodes, or from its fencing tokens';

/**
 * Returns which of the 32,768 fence counters of a node belongs to a resource, as three characters; the same for all clients. Resources that share a
 * counter make each other's tokens skip numbers, and nothing else. So counters never have to expire, and their number is limited.
 */
export function counterOf(resource: string): string {
  const hash = hashOf(resource);
  return digit(hash >>> 10) + digit(hash >>> 5) + digit(hash);
}

/** Returns a 32-bit number that is the same for equal texts on every machine: FNV-1a, folded. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}

function digit(number: number): string {
  return (number & 31).toString(32);
}
