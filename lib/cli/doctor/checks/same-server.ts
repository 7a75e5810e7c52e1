import type { Check } from '../finding.js';

/** Two addresses may lead to one server: by a second name, a proxy, or a failover. */
export const sameServer: Check = {
  name: 'same server twice',
  find: ({ overview: { nodes } }) =>
    nodes.flatMap(({ node, runId }, index) => {
      const earlier = runId === undefined ? undefined : nodes.slice(0, index).find((other) => other.runId === runId);
      if (earlier === undefined) return [];
      return {
        severity: 'error',
        node,
        what: `it is the same server as ${earlier.node}`,
        why: 'one server must not vote twice, so applications do not start with both addresses, or bar one of them',
        remedy: 'name each server once, and another server in the place of this one',
      } as const;
    }),
};
