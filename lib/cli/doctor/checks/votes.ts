import type { NodeReport } from '../../nodes/overview.js';
import { duration } from '../../output/duration.js';
import type { Check, Finding } from '../finding.js';

/** Whatever keeps a node from voting, in the words of the node itself. */
export const votes: Check = {
  name: 'votes',
  find: ({ overview: { nodes } }) => nodes.filter((node) => !node.votes).map(findingOf),
};

function findingOf({ node, up, reason = 'it does not say why', votesIn }: NodeReport): Finding {
  const why = 'locks need the votes of a quorum';
  if (votesIn !== undefined) {
    const remedy = `wait for ${duration(votesIn)}; restart nodes one by one, with more than maxTtl between them`;
    return { severity: 'warning', node, what: `it does not vote yet: ${reason}`, why, remedy };
  }
  const what = up ? `it does not vote: ${reason}` : `it is down: ${reason}`;
  const remedy = up ? 'do what its answer says' : 'start it, or correct its address, its password or the network';
  return { severity: 'error', node, what, why, remedy };
}
