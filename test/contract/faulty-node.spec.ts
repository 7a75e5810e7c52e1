import { FaultyNode } from '../../lib/testing/nodes/faulty-node.js';
import { MortalProcesses } from '../support/mortal-processes.js';
import { describeLockNode } from './lock-node.contract.js';

describeLockNode('FaultyNode without a fault', async () => {
  const processes = new MortalProcesses();
  const node = new FaultyNode('faulty', processes.clock, processes.terms);
  return {
    ...processes.around(node),
    plant: async (resource, value, ttl = Infinity) => node.plant(resource, value, ttl),
    read: async (resource) => node.valueOf(resource),
  };
});
