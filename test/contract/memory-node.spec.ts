import { TRUSTING } from '../support/trust.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeLockNode } from './lock-node.contract.js';

describeLockNode('MemoryNode', async () => {
  const clock = new VirtualClock();
  const node = new MemoryNode('memory', clock, TRUSTING);
  return {
    node,
    plant: async (resource, value, ttl) => node.set(resource, value, ttl),
    read: async (resource) => node.get(resource),
    now: () => clock.now(),
    pass: (ms) => clock.advance(ms),
    stop: () => node.close(),
  };
});
