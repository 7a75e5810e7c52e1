import { MAX_TTL } from '../../lib/engine/options.js';
import { SystemClock } from '../../lib/engine/system-clock.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';

let count = 0;

/** Connections of a further client to these nodes. */
export function connectionsTo(nodes: readonly MemoryNode[]): MemoryNode[] {
  count += 1;
  const channel = `client ${count}`;
  return nodes.map(({ name, data }) => new MemoryNode(name, new SystemClock(), { maxTtl: MAX_TTL, channel, data }));
}
