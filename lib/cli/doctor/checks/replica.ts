import { troublesIn } from '../../../redis/trust/server-checks.js';
import { checkOfNode } from '../finding.js';

/** Replication is asynchronous, and a lock that has not arrived is lost. */
export const replica = checkOfNode('replica', ({ info }) => {
  const { replica: trouble } = troublesIn(info);
  return trouble && { severity: 'error', ...trouble };
});
