import { beforeEach, describe, expect, it } from '@jest/globals';
import { WaryPool } from '../../support/wary-pool.js';

describe('Redlock.status over nodes that may have forgotten locks tells', () => {
  let pool: WaryPool;
  beforeEach(async () => {
    pool = await WaryPool.trusted();
  });

  const reason =
    'it is new, or was restarted, emptied or set back, or its clock was changed, and may have forgotten locks';
  const OUT = { up: true, votes: false, reason, latency: 0, clockOffset: 0 };

  it('which nodes vote, and when the others will', async () => {
    pool.restart(1);
    await pool.clock.until(pool.redlock.status());
    await pool.clock.advance(400);
    expect(await pool.clock.until(pool.redlock.status())).toEqual({
      nodes: [
        { node: 'node-1', up: true, votes: true, latency: 0, clockOffset: 0 },
        { node: 'node-2', ...OUT, votesIn: 1_600 },
        { node: 'node-3', up: true, votes: true, latency: 0, clockOffset: 0 },
      ],
      quorum: 2,
      quorumReachable: true,
    });
  });

  it.each<[string, number[], number[], boolean]>([
    ['one is out', [0], [], true],
    ['two are out', [0, 1], [], false],
    ['one is out and one is down', [0], [1], false],
    ['all are out', [0, 1, 2], [], false],
  ])('whether a quorum votes where %s', async (_case, outSeats, downSeats, reachable) => {
    pool.restart(...outSeats);
    for (const nodeIndex of downSeats) pool.nodes[nodeIndex]!.fail('down');
    const status = await pool.clock.until(pool.redlock.status());
    expect(status.quorumReachable).toBe(reachable);
    expect(status.nodes.map(({ up }) => up)).toEqual([0, 1, 2].map((nodeIndex) => !downSeats.includes(nodeIndex)));
  });
});
