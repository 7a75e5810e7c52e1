import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../lib/core/clock.js';
import type { LockNode } from '../../../lib/core/lock-node.js';
import { Redlock } from '../../../lib/core/redlock.js';
import { refuseTwins } from '../../../lib/core/twins.js';
import { MemoryNode } from '../../../lib/memory/memory-node.js';

const nodesOf = (...runIds: (string | undefined)[]): LockNode[] =>
  runIds.map((runId, index) => ({ name: `node-${index + 1}`, runId }) as LockNode);

describe('refuseTwins', () => {
  it.each([
    ['no node', []],
    ['one node', ['a']],
    ['nodes of their own', ['a', 'b', 'c']],
    ['nodes that did not say who they are', [undefined, 'a', undefined]],
  ])('takes %s', (_case, runIds) => {
    expect(() => refuseTwins(nodesOf(...runIds))).not.toThrow();
  });

  it.each([
    [['a', 'a'], /node-1 and node-2/],
    [['a', 'b', 'c', 'b'], /node-2 and node-4/],
    [['a', undefined, 'a'], /node-1 and node-3/],
  ])('refuses one server behind two addresses, %j, and names both', (runIds, names) => {
    expect(() => refuseTwins(nodesOf(...runIds))).toThrow(TypeError);
    expect(() => refuseTwins(nodesOf(...runIds))).toThrow(names);
    expect(() => refuseTwins(nodesOf(...runIds))).toThrow(/one server: it must not vote twice, name each node once/);
  });
});

describe('Redlock with one server behind two addresses', () => {
  const node = new MemoryNode('node', systemClock);
  const other = new MemoryNode('other', systemClock);
  const redlockOf = (nodes: LockNode[]): Redlock => new Redlock({ nodes });

  it('does not open', async () => {
    await expect(redlockOf([node, other, node]).open()).rejects.toBeInstanceOf(TypeError);
    await expect(redlockOf([node, other]).open()).resolves.toBeUndefined();
  });

  it('takes no locks, also for those who do not wait for the start', async () => {
    const redlock = redlockOf([node, node, other]);
    await expect(redlock.acquire('a')).rejects.toBeInstanceOf(TypeError);
    await expect(redlock.tryAcquire('a')).rejects.toBeInstanceOf(TypeError);
    expect([node.get('a'), other.get('a')]).toEqual([undefined, undefined]);
    await redlock.close();
  });
});
