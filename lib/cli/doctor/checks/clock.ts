import { maxTtlOf } from '../../settings.js';
import { checkOfNode } from '../finding.js';

/** Nodes and clients agree on the order of waiters and on fencing tokens by their clocks. */
export const clock = checkOfNode('clock', ({ session, report: { clockOffset = 0 } }, { settings }) => {
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
    remedy: 'set both clocks right, by NTP',
  };
});
