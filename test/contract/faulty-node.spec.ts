import { FaultyNode } from '../../lib/testing/nodes/faulty-node.js';
import type { Claim } from '../../lib/core/port/claim.js';
import { TRUSTING } from '../support/trust.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeLockNode } from './lock-node.contract.js';

describeLockNode('FaultyNode without a fault', async () => {
  const clock = new VirtualClock();
  const gone = new Set<Claim>();
  const node = new FaultyNode('faulty', clock, { ...TRUSTING, listens: (claim) => !gone.has(claim) });
  return {
    node,
    plant: async (resource, value, ttl = Infinity) => node.plant(resource, value, ttl),
    read: async (resource) => node.valueOf(resource),
    now: () => clock.now(),
    pass: (ms) => clock.advance(ms),
    process: async () => {
      const asked: Claim[] = [];
      return {
        node: {
          acquire: (question, nodeIndex) => {
            asked.push(question.claim);
            node.acquire(question, nodeIndex);
          },
        },
        die: async () => asked.forEach((claim) => gone.add(claim)),
      };
    },
    stop: () => node.close(),
  };
});
