import { describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim } from '../../../lib/core/port/claim.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('MemoryNode', () => {
  it('forgets what is over: a node that lives as long as its process does not grow with the number of names', async () => {
    const clock = new VirtualClock();
    const node = new MemoryNode('node', clock, { maxTtl: 1_000 });
    const place = { arrived: 1, ttl: 100, isWaiting: true, granted: () => undefined };
    const kept = (): number[] => {
      const { entries, lines } = node.snapshot();
      return [entries.size, lines.size];
    };
    let most = 0;
    for (let index = 0; index < 20_000; index += 1) {
      const resource = `resource-${index}`;
      // One is held, another one waits, both are never heard of again, or are released.
      node.set(resource, 'foreign', 10);
      const waiter = new Claim([resource], `waiter-${index}`, place);
      node.acquire(new SingleCall(waiter, 10), 0);
      node.release(new SingleCall(waiter, 0), 0);
      const fence = new SingleCall(waiter, 0);
      fence.proposal = clock.now().wall * 1_000;
      node.raise(fence, 0);
      clock.block(1);
      if (index % 1_000 === 0) most = Math.max(most, ...kept());
    }
    expect(most).toBeLessThanOrEqual(4_100);
    // Callers that lock an endless number of names share fence counters.
    expect(node.snapshot().fences.size).toBeLessThanOrEqual(32_768);
  });
});
