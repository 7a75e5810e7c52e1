import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim } from '../../../lib/core/port/claim.js';
import type { AcquireAnswer } from '../../../lib/core/port/lock-node.js';
import { TRUSTING } from '../../support/trust.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('MemoryNode', () => {
  let clock: VirtualClock;
  let node: MemoryNode;
  const acquire = (...resources: string[]) =>
    new Promise<AcquireAnswer>((resolve) =>
      node.acquire(new SingleCall(new Claim(resources, 'ours'), 1_000, resolve), 0),
    );

  beforeEach(() => {
    clock = new VirtualClock();
    node = new MemoryNode('node', clock, TRUSTING);
  });

  it('shows what is planted until it expires', () => {
    node.set('a', 'foreign', 500);
    clock.block(499);
    expect(node.get('a')).toBe('foreign');
    clock.block(1);
    expect(node.get('a')).toBeUndefined();
  });

  it('expires keys by the wall clock, as Redis does', async () => {
    await acquire('a');
    clock.stepWall(1_000);
    expect(node.get('a')).toBeUndefined();
  });

  it('has the clock of this process, also after that was set', () => {
    for (const step of [0, 1_000, -5_000]) {
      clock.stepWall(step);
      const { wall, monotonic } = clock.now();
      expect(node.clockAhead).toEqual({ least: wall - monotonic, most: wall - monotonic });
    }
  });

  it('answers later than the call returns', async () => {
    let answered = false;
    node.acquire(new SingleCall(new Claim(['a'], 'ours'), 1_000, () => (answered = true)), 0);
    expect(answered).toBe(false);
    await Promise.resolve();
    expect(answered).toBe(true);
  });

  it('forgets everything when it is flushed', async () => {
    await acquire('a', 'b');
    node.flush();
    expect([node.get('a'), node.get('b')]).toEqual([undefined, undefined]);
  });

  it('forgets everything when it is closed, and opens at once', async () => {
    await node.open();
    await acquire('a');
    await node.close();
    expect(node.get('a')).toBeUndefined();
  });

  it('tells which holder is in the way longest', async () => {
    node.set('a', 'short', 100);
    node.set('b', 'long', 900);
    node.set('c', 'middle', 500);
    expect(await acquire('a', 'b', 'c')).toEqual({ kind: 'held', remaining: 900, owner: 'long' });
  });
});
