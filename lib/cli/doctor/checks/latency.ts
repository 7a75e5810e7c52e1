import { performance } from 'node:perf_hooks';
import { duration } from '../../output/duration.js';
import { checkOfNode } from '../finding.js';
import type { NodeSession } from '../../nodes/node-session.js';

const PINGS = 20;

/** A node that answers later than `nodeTimeout` is decided without. */
export const latency = checkOfNode('latency', async ({ session }, { settings: { nodeTimeout } }) => {
  const { p50, p99 } = await pingTimes(session);
  if (p99 <= nodeTimeout) return undefined;
  const isUsual = p50 > nodeTimeout;
  return {
    severity: isUsual ? 'error' : 'warning',
    what: `it takes ${duration(p50)} to answer a PING (p50), and ${duration(p99)} at the worst (p99 of ${PINGS}), where nodeTimeout is ${nodeTimeout} ms`,
    why: isUsual ? 'its votes come too late, as if it was down' : 'its votes sometimes come too late',
    remedy: 'find out what keeps the node or the network busy, or raise nodeTimeout of the module',
  };
});

/** Returns the median and the slowest but one in a hundred of some PINGs, ms. */
export async function pingTimes(session: NodeSession): Promise<{ readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  await session.ask((redis) => redis.ping());
  for (let count = 0; count < PINGS; count += 1) {
    const sent = performance.now();
    await session.ask((redis) => redis.ping());
    times.push(performance.now() - sent);
  }
  times.sort((a, b) => a - b);
  const rank = (share: number): number => times[Math.ceil(share * times.length) - 1]!;
  return { p50: rank(0.5), p99: rank(0.99) };
}
