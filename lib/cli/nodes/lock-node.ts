import { SystemClock } from '../../engine/system-clock.js';
import { systemRandom } from '../../engine/random.js';
import { BatchEncoder, channelOf } from '../../redis/batch.js';
import { connectionNameOf } from '../../redis/connection/settings/connection-name.js';
import { RedisNode } from '../../redis/redis-node.js';
import { maxTtlOf } from '../settings.js';
import type { NodeSession } from './node-session.js';

/**
 * Runs `work` with a node as the library sees it, which `work` opens, over a connection of its own.
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
  const channel = channelOf(keyPrefix, systemRandom.id());
  const maxTtl = maxTtlOf(settings, marker?.longest);
  const encoder = new BatchEncoder({ keyPrefix, channel, maxTtl, restartQuarantine });
  const node = new RedisNode({ ...address, options }, encoder, clock);
  try {
    return await session.within(work(node, clock));
  } finally {
    // A frozen node would never confirm the end.
    void node.close();
  }
}
