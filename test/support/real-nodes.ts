import type { Clock } from '../../lib/engine/clock.js';
import { systemRandom } from '../../lib/engine/random.js';
import { BatchEncoder, channelOf } from '../../lib/redis/codec.js';
import { toAddresses } from '../../lib/redis/connection/settings/node-address.js';
import { RedisNode } from '../../lib/redis/redis-node.js';
import type { Trust } from './trust.js';

/** The nodes of one client, which hears of its hand-offs on a channel of its own. */
export function realNodes(
  nodes: Parameters<typeof toAddresses>[0],
  clock: Clock,
  { maxTtl, restartQuarantine }: Trust,
  keyPrefix = '',
): RedisNode[] {
  const channel = channelOf(keyPrefix, systemRandom.id());
  const encoder = new BatchEncoder({ keyPrefix, channel, maxTtl, restartQuarantine });
  return toAddresses(nodes).map((address) => new RedisNode(address, encoder, clock));
}
