import { checkOfNode } from '../finding.js';

/** By RESP3 a node can tell a waiter that it is its turn, on the connection of the commands. */
export const resp3 = checkOfNode('RESP3', ({ session }) => {
  if (session.isResp3) return undefined;
  return {
    severity: 'warning',
    what: 'it does not speak RESP3',
    why: 'it cannot hand a lock to the next in line, so waiters find out by asking, later and not in their order',
    remedy: 'use Redis 6 or newer, or Valkey, without a proxy that speaks RESP2 only',
  };
});
