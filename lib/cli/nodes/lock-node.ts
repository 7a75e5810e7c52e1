import { SystemClock } from '../../core/time/system-clock.js';
import { BatchEncoder } from '../../redis/batch/batch-encoder.js';
import { connectionNameOf } from '../../redis/connection/settings/connection-name.js';
import { realParts } from '../../redis/connection/node-parts.js';
import { RedisNode } from '../../redis/redis-node.js';
import { maxTtlOf } from '../settings.js';
import type { NodeSession } from './node-session.js';

/**
 * Runs `work` with a node as the library sees it, over a connection of its own.
 * @throws Error if that takes longer than the node may take
 */
export async function withLockNode<T>(
  session: NodeSession,
  { keyPrefix, restartQuarantine }: { readonly keyPrefix: string; readonly restartQuarantine: boolean },
  work: (node: RedisNode, clock: SystemClock) => Promise<T>,
): Promise<T> {
  const { address, settings, marker } = session;
  const clock = new SystemClock();
  const options = { ...address.options, connectionName: connectionNameOf('cli') };
  const trust = { maxTtl: maxTtlOf(settings, marker?.longest), restartQuarantine };
  const encoder = new BatchEncoder(keyPrefix, trust, clock);
  const node = new RedisNode({ ...address, options }, encoder, realParts(clock));
  try {
    return await session.within(node.open(() => undefined).then(() => work(node, clock)));
  } finally {
    // A frozen node would never confirm the end.
    void node.close();
  }
}
