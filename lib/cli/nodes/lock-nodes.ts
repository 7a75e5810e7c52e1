import { SystemClock } from '../../core/time/system-clock.js';
import { BatchEncoder, type TrustTerms } from '../../redis/batch/batch-encoder.js';
import { connectionNameOf } from '../../redis/connection/settings/connection-name.js';
import { realParts } from '../../redis/connection/node-parts.js';
import { RedisNode } from '../../redis/redis-node.js';
import { maxTtlOf } from '../settings.js';
import type { NodeSession } from './node-session.js';

/** Returns the node as the library itself sees it, over a connection of its own. */
function lockNode(
  { address, settings, marker }: NodeSession,
  restartQuarantine: boolean,
  clock: SystemClock,
): RedisNode {
  const trust: TrustTerms = { maxTtl: maxTtlOf(settings, marker?.longest), restartQuarantine };
  const options = { ...address.options, connectionName: connectionNameOf('cli') };
  return new RedisNode({ ...address, options }, new BatchEncoder(settings.keyPrefix, trust, clock), realParts(clock));
}

/** How `work` gets its nodes. */
export interface LockNodeTerms {
  /** Whether nodes note that they were looked at, as they do for clients with `restartQuarantine`. */
  readonly quarantine: (session: NodeSession) => boolean;
}

/** Runs `work` with the nodes as the library sees them; all of them are closed afterwards. */
export async function withLockNodes<T>(
  sessions: readonly NodeSession[],
  { quarantine }: LockNodeTerms,
  work: (nodes: readonly RedisNode[], clock: SystemClock) => Promise<T>,
): Promise<T> {
  const clock = new SystemClock();
  const nodes = sessions.map((session) => lockNode(session, quarantine(session), clock));
  try {
    await Promise.all(nodes.map((node) => node.open(() => undefined)));
    return await work(nodes, clock);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
}
