import type { NodeReport } from '../nodes/overview.js';
import { duration } from '../output/layout.js';
import { maxTtlOf } from '../settings.js';
import { type Check, checkOfNode, type Finding } from './check.js';

/** A lock survives the loss of less than half of the nodes. */
const nodeCount: Check = {
  name: 'number of nodes',
  find: ({ overview: { nodes, quorum } }) => {
    const { length } = nodes;
    if (length > 1 && length % 2 === 1) return [];
    const remedy = 'take three or five independent masters on machines that fail separately';
    if (length === 1) {
      const why = 'without it there are no locks, and after its restart none for maxTtl';
      return [{ severity: 'advice', what: 'there is one node only', why, remedy }];
    }
    const why = `the quorum is ${quorum}, so ${length} nodes tolerate as many failures as ${length - 1} would`;
    return [{ severity: 'advice', what: `there are ${length} nodes, an even number`, why, remedy }];
  },
};

/** Two addresses may lead to one server: by a second name, a proxy, or a failover. */
const sameServer: Check = {
  name: 'same server twice',
  find: ({ overview: { nodes } }) =>
    nodes.flatMap(({ node, runId }, index) => {
      const earlier = runId === undefined ? undefined : nodes.slice(0, index).find((other) => other.runId === runId);
      if (earlier === undefined) return [];
      return {
        severity: 'error',
        node,
        what: `it is the same server as ${earlier.node}`,
        why: 'one server must not vote twice, so applications do not start with both addresses, or exclude one of them',
        remedy: 'name each server once, and another server in the place of this one',
      } as const;
    }),
};

/** Whatever keeps a node from voting, in the words of the node itself. */
const votes: Check = {
  name: 'votes',
  find: ({ overview: { nodes } }) => nodes.filter((node) => !node.votes).map(noVote),
};

function noVote({ node, up, reason = 'it does not say why', votesIn }: NodeReport): Finding {
  const why = 'locks need the votes of a quorum';
  if (votesIn !== undefined) {
    const remedy = `let a client connect, and wait for ${duration(votesIn)}; restart nodes one by one, with more than maxTtl between them`;
    return { severity: 'warning', node, what: `it does not vote yet: ${reason}`, why, remedy };
  }
  const what = up ? `it does not vote: ${reason}` : `it is down: ${reason}`;
  const remedy = up ? 'do what its answer says' : 'start it, or correct its address, its password or the network';
  return { severity: 'error', node, what, why, remedy };
}

/** By RESP3 a node can tell a waiter that it is its turn, on the connection of the commands. */
const resp3 = checkOfNode('RESP3', ({ session }) => {
  if (session.isResp3) return undefined;
  return {
    severity: 'warning',
    what: 'it does not speak RESP3',
    why: 'it cannot hand a lock to the next in line, so waiters find out by asking, later and not in their order',
    remedy: 'use Redis 6 or newer, or Valkey, without a proxy that speaks RESP2 only',
  };
});

/** A vote that comes later than `nodeTimeout` does not count. */
const latency = checkOfNode('latency', ({ pings }, { settings: { nodeTimeout } }) => {
  const rank = (share: number): number => pings[Math.ceil(share * pings.length) - 1] ?? 0;
  const [p50, p99] = [rank(0.5), rank(0.99)];
  if (p99 <= nodeTimeout) return undefined;
  const isUsual = p50 > nodeTimeout;
  return {
    severity: isUsual ? 'error' : 'warning',
    what: `it takes ${duration(p50)} to answer a PING (p50), and ${duration(p99)} at the worst (p99 of ${pings.length}); nodeTimeout is ${nodeTimeout} ms`,
    why: isUsual ? 'its votes come too late, as if it was down' : 'its votes sometimes come too late',
    remedy: 'find out what keeps the node or the network busy, or raise nodeTimeout of the module',
  };
});

/** Nodes and clients agree on the order of waiters and on fencing tokens by their clocks. */
const clock = checkOfNode('clock', ({ session, report: { clockOffset = 0 } }, { settings }) => {
  const maxTtl = maxTtlOf(settings, session.marker?.longest);
  const off = Math.abs(clockOffset);
  if (off <= maxTtl / 4) return undefined;
  const isOut = off > maxTtl / 2;
  return {
    severity: isOut ? 'error' : 'warning',
    what: `its clock is ${off} ms ${clockOffset > 0 ? 'ahead of' : 'behind'} that of this machine`,
    why: isOut
      ? 'above half of maxTtl it does not vote for clients with this clock'
      : 'above half of maxTtl it would not vote for clients with this clock',
    remedy: 'correct both clocks by NTP',
  };
});

export const NODE_CHECKS: readonly Check[] = [nodeCount, sameServer, votes, resp3, latency, clock];
