import { troublesIn } from '../../../redis/trust/server-checks.js';
import { checkOfNode } from '../finding.js';

/** Every lock has a ttl, so most eviction policies may delete it. */
export const eviction = checkOfNode('eviction', ({ info }) => {
  const { eviction: trouble } = troublesIn(info);
  return trouble && { severity: 'error', ...trouble };
});
