import { describe, expect, it } from '@jest/globals';
import type { ProbeAnswer } from '../../../lib/engine/lock-node.js';
import { MemoryPool } from '../../support/memory-pool.js';

describe('Redlock.status', () => {
  it('tells that every node is up', async () => {
    const pool = new MemoryPool();
    await expect(pool.clock.until(pool.client().redlock.status())).resolves.toEqual({
      nodes: ['node-1', 'node-2', 'node-3'].map((node) => ({
        node,
        up: true,
        votes: true,
        latency: 0,
        clockOffset: 0,
      })),
      quorum: 2,
      quorumReachable: true,
    });
    expect(pool.clock.timers).toBe(0);
  });

  it('tells which node is not, and why', async () => {
    const pool = new MemoryPool();
    pool.nodes[0]!.fail('down');
    pool.nodes[1]!.fail('silent');
    const status = await pool.clock.until(pool.client().redlock.status());
    expect(status.nodes).toEqual([
      { node: 'node-1', up: false, votes: false, reason: 'down' },
      { node: 'node-2', up: false, votes: false, reason: 'no answer within 50 ms' },
      { node: 'node-3', up: true, votes: true, latency: 0, clockOffset: 0 },
    ]);
    expect(status.quorumReachable).toBe(false);
  });

  it('tells how long each node took to answer, to a hundredth of a ms', async () => {
    const pool = new MemoryPool();
    pool.nodes[1]!.fail({ slow: 7.1234 });
    pool.nodes[2]!.fail({ late: 30 });
    const { nodes } = await pool.clock.until(pool.client().redlock.status());
    expect(nodes.map(({ latency }) => latency)).toEqual([0, 7.12, 30]);
  });

  it('waits for a silent node as long as for any command, and no longer', async () => {
    const pool = new MemoryPool();
    pool.nodes[2]!.fail('silent');
    const status = await pool.clock.until(pool.client({ nodeTimeout: 20 }).redlock.status());
    expect([status.quorumReachable, pool.clock.now().monotonic]).toEqual([true, 20]);
  });

  it('waits for a silent node as long as the caller says', async () => {
    const pool = new MemoryPool();
    pool.nodes[2]!.fail('silent');
    const status = await pool.clock.until(pool.client({ nodeTimeout: 20 }).redlock.status({ timeout: 300 }));
    expect([status.nodes[2]!.reason, pool.clock.now().monotonic]).toEqual(['no answer within 300 ms', 300]);
  });

  it.each([
    [0, RangeError],
    [2 ** 31, RangeError],
    [NaN, RangeError],
    ['300', TypeError],
  ])('refuses to wait for %p ms', async (timeout, Kind) => {
    const asking = new MemoryPool().client().redlock.status({ timeout: timeout as number });
    await expect(asking).rejects.toThrow(/^status: timeout must be a number of ms from 1 to 2147483647; got /);
    await expect(asking).rejects.toBeInstanceOf(Kind);
  });

  it.each([
    [2, 1, false],
    [3, 1, true],
    [4, 2, false],
    [5, 2, true],
    [5, 3, false],
  ])('of %i nodes with %i down: quorum reachable is %s', async (size, down, reachable) => {
    const pool = new MemoryPool(size);
    pool.nodes.slice(0, down).forEach((node) => node.fail('down'));
    expect((await pool.clock.until(pool.client().redlock.status())).quorumReachable).toBe(reachable);
  });

  it.each<[string, Extract<ProbeAnswer, { kind: 'excluded' | 'refused' }>]>([
    ['is excluded from the vote', { kind: 'excluded', reason: 'it leads to the same server as another' }],
    ['refuses to vote', { kind: 'refused', reason: 'OOM command not allowed' }],
  ])('tells which node answers but %s, and why', async (_case, answer) => {
    const pool = new MemoryPool();
    pool.nodes[1]!.answerProbe = (answered) => queueMicrotask(() => answered(answer));
    const status = await pool.clock.until(pool.client().redlock.status());
    // An excluded node is not asked.
    const latency = answer.kind === 'excluded' ? {} : { latency: 0 };
    expect(status.nodes[1]).toEqual({ node: 'node-2', up: true, votes: false, reason: answer.reason, ...latency });
    expect(status.quorumReachable).toBe(true);
  });
});
