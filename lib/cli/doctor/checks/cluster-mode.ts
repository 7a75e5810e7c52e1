import { troublesIn } from '../../../redis/trust/server-checks.js';
import { checkOfNode } from '../finding.js';

/** The scripts use several keys for one lock. */
export const clusterMode = checkOfNode('cluster mode', ({ info }) => {
  const { cluster: trouble } = troublesIn(info);
  return trouble && { severity: 'error', ...trouble };
});
