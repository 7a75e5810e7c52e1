import type { Attempt } from './attempt.js';
import type { Pool } from './pool.js';

/**
 * Agrees on the fencing token of an attempt that has a quorum of votes: the greatest token of these votes. A quorum of nodes must have counted it
 * before the lock is given. Otherwise the counters are raised to the last token of the attempt, which counts only on nodes that still have its value.
 */
export function agreeOnToken(pool: Pool, resource: string, attempt: Attempt, done: (isAgreed: boolean) => void): void {
  const { token, value, ttl, count } = attempt;
  const counted = attempt.tokens.map((first) => first === token);
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
