import { beforeEach, describe, expect, it } from '@jest/globals';
import { TokenSearch } from '../../../../lib/core/acquire/token-search.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../../lib/core/api/options.js';
import { NodePool } from '../../../../lib/core/quorum/node-pool.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import { Votes } from '../../../../lib/core/quorum/votes.js';
import { WaitBudget } from '../../../../lib/core/quorum/outcome/wait-budget.js';
import { AbortSource } from '../../../../lib/core/time/abort.js';
import { MemoryPool } from '../../../support/memory-pool.js';
import { SeededRandom } from '../../../support/seeded-random.js';

const TIMEOUT = 40;

describe('TokenSearch', () => {
  let memory: MemoryPool;
  let closing: AbortSource;
  let isThere: boolean;
  let looks: number;
  let search: TokenSearch;
  let run: () => Promise<number>;

  beforeEach(() => {
    memory = new MemoryPool(3);
    closing = new AbortSource();
    const { clock } = memory;
    const pool = new NodePool(memory.nodes, { clock, random: new SeededRandom(), nodeTimeout: TIMEOUT });
    const budget = new WaitBudget(pool, DEFAULT_LOCK_OPTIONS, closing);
    [isThere, looks] = [false, 0];
    const isFound = (): boolean => {
      looks += 1;
      return isThere;
    };
    search = new TokenSearch(pool, new OwnClaim(['a'], 'v'), { votes: new Votes(3), isFound });
    run = async () => {
      await clock.until(search.run({ terms: DEFAULT_LOCK_OPTIONS, budget }, true));
      return clock.now().monotonic;
    };
  });

  it('ends when a look finds the token, and not before', async () => {
    const begun = memory.clock.now().monotonic;
    memory.clock.schedule(10, () => search.look());
    memory.clock.schedule(20, () => {
      isThere = true;
      search.look();
    });
    expect((await run()) - begun).toBe(20);
    expect([looks, memory.clock.timers]).toEqual([2, 0]);
  });

  it('ends after the node timeout', async () => {
    const begun = memory.clock.now().monotonic;
    expect((await run()) - begun).toBe(TIMEOUT);
  });

  it('ends with the abort of its caller', async () => {
    memory.clock.schedule(10, () => closing.stop(new Error('closed')));
    await expect(run()).rejects.toThrow('closed');
    expect(memory.clock.timers).toBe(0);
  });

  it('stops looking once it is over, since the lock may be held by then', async () => {
    await run();
    search.look();
    expect(looks).toBe(0);
  });
});
