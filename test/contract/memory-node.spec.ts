import { MemoryNode } from '../../lib/memory/memory-node.js';
import { MortalProcesses } from '../support/mortal-processes.js';
import { describeLockNode } from './lock-node.contract.js';

describeLockNode('MemoryNode', async () => {
  const processes = new MortalProcesses();
  const node = new MemoryNode('memory', processes.clock, processes.terms);
  return {
    ...processes.around(node),
    plant: async (resource, value, ttl) => node.set(resource, value, ttl),
    read: async (resource) => node.get(resource),
  };
});
