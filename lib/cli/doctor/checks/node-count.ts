import type { Check, Finding } from '../finding.js';

/** Three or five nodes are best: a lock survives the loss of less than half of them. */
export const nodeCount: Check = {
  name: 'number of nodes',
  find: ({ overview: { nodes, quorum } }): Finding[] => {
    const { length } = nodes;
    if (length > 1 && length % 2 === 1) return [];
    const what = length === 1 ? 'there is one node only' : `there are ${length} nodes, an even number`;
    const why =
      length === 1
        ? 'without it there are no locks, and after its restart none for maxTtl'
        : `the quorum is ${quorum}, so that they survive the loss of no more nodes than ${length - 1} would`;
    return [
      {
        severity: 'advice',
        what,
        why,
        remedy: 'take three or five independent masters on machines that fail separately',
      },
    ];
  },
};
