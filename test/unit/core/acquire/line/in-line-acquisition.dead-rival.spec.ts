import { describe, expect, it } from '@jest/globals';
import { STALEMATE_GRACE } from '../../../../../lib/core/acquire/line/stalemate.js';
import { MemoryPool } from '../../../../support/memory-pool.js';
import { releaseFor, Rival } from '../../../../support/rival.js';
import { SeededRandom } from '../../../../support/seeded-random.js';

const HOLDER = 'holder';
const POLLING = { retryDelay: 200, retryJitter: 100 };
const NAMES = ['first', 'second', 'third'];

/**
 * The waiter that gets the resource when some nodes granted it to a waiter that has died, which they had not noticed
 * yet, the others granted it to the next in line, and one node is down.
 */
async function winnerBehindDead(seed: number, left: number): Promise<string | undefined> {
  const random = new SeededRandom(seed);
  const pool = new MemoryPool(5);
  for (const node of pool.memory) node.set('a', HOLDER, 60_000);
  const winners: string[] = [];
  for (const name of NAMES) {
    const rival = new Rival(pool, name, { fraction: () => random.fraction() });
    rival.nodes[4]!.fail('down');
    void rival.contend(POLLING).then(({ claim }) => winners.push(claim.value));
    await pool.clock.advance(1);
  }
  // They have asked many times until then.
  await pool.clock.advance(3_000 + Math.floor(random.fraction() * POLLING.retryDelay));
  for (const [nodeIndex, node] of pool.memory.slice(0, 4).entries()) {
    if (nodeIndex < 2) node.set('a', 'dead', left);
    else releaseFor([node], HOLDER);
    await pool.clock.advance(Math.floor(random.fraction() * 2));
  }
  await pool.clock.advance(left + 2 * STALEMATE_GRACE);
  return winners[0];
}

describe('InLineAcquisition, behind one that died when it was its turn', () => {
  it.each([
    ['the grace', STALEMATE_GRACE],
    ['a whole lease, since it died while it extended it', 2_000],
  ])('keeps its place before later waiters when nodes hold the resource for %s', async (_, left) => {
    const winners = [];
    for (let seed = 1; seed <= 60; seed += 1) winners.push(await winnerBehindDead(seed, left));
    expect(new Set(winners)).toEqual(new Set([NAMES[0]]));
  });
});
