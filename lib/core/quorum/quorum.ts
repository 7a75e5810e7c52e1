/** Returns how many votes decide among `nodes` independent masters: `floor(nodes / 2) + 1` (the Redis distributed-locks page). */
export function quorumOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/**
 * Returns what the votes so far have decided. A call is denied as soon as a quorum has become impossible, so that a tie among an even
 * number of nodes is decided too.
 */
export function verdict(nodes: number, granted: number, refused: number): 'won' | 'denied' | 'open' {
  if (granted >= quorumOf(nodes)) return 'won';
  return refused > nodes - quorumOf(nodes) ? 'denied' : 'open';
}
