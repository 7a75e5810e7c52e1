import { TRUSTING } from '../support/trust.js';
import type { Claim } from '../../lib/core/port/claim.js';
import { MemoryNode } from '../../lib/memory/memory-node.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeLockNode } from './lock-node.contract.js';

describeLockNode('MemoryNode', async () => {
  const clock = new VirtualClock();
  const gone = new Set<Claim>();
  const node = new MemoryNode('memory', clock, { ...TRUSTING, listens: (claim) => !gone.has(claim) });
  return {
    node,
    plant: async (resource, value, ttl) => node.set(resource, value, ttl),
    read: async (resource) => node.get(resource),
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
