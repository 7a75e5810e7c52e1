import { FaultyNode } from '../../lib/testing/faulty-node.js';
import { TRUSTING } from '../support/trust.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeLockNode } from './lock-node.contract.js';

describeLockNode('FaultyNode without a fault', async () => {
  const clock = new VirtualClock();
  const node = new FaultyNode('faulty', clock, { ...TRUSTING, restartQuarantine: false });
  return {
    node,
    plant: async (resource, value, ttl = Infinity) => node.plant(resource, value, ttl),
    read: async (resource) => node.valueOf(resource),
    now: () => clock.now(),
    pass: (ms) => clock.advance(ms),
    stop: () => node.close(),
  };
});
