import type { Attempt } from './attempt.js';
import type { Pool } from './pool.js';

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

/**
 * Agrees on the fencing token of an attempt that has a quorum of votes: the greatest token of these votes. Every later quorum must find a counter
 * that is at least as high. If fewer than a quorum of nodes gave this token, the counters are raised to the last token of the attempt; a node
 * confirms only while it still has the value.
 */
export function agreeOnToken(pool: Pool, resource: string, attempt: Attempt, done: (isAgreed: boolean) => void): void {
  const { token, value, ttl, count } = attempt;
  const counted = attempt.answers.map((answer) => answer?.kind === 'granted' && answer.token === token);
  const size = (): number => counted.filter(Boolean).length;
  if (size() >= pool.quorum) return done(true);
  let left = pool.nodes.length;
  let isDone = false;
  pool.ask({
    timeout: pool.timeoutFor(ttl),
    operation: () => ({ kind: 'raise', resource, value, token: token + count - 1 }),
    heard: (node, answer) => {
      left -= 1;
      if (answer.kind === 'raised') counted[node] = true;
      if (isDone || (size() < pool.quorum && left > 0)) return;
      isDone = true;
      done(size() >= pool.quorum);
    },
  });
}
