import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../../lib/core/api/events.js';
import type { Lock } from '../../../../lib/core/api/lock.js';
import { MemoryPool } from '../../../support/memory-pool.js';

const TERMS = { ttl: 500, waitTimeout: 10_000, retryDelay: 50, retryJitter: 0 };
/** Ms: what is left of a lease then is no whole one, and is extended before the next caller begins. */
const COMPUTING = 150;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('callers whose locks are decided together, the first of which computes', () => {
  let pool: MemoryPool;
  beforeEach(() => {
    pool = new MemoryPool();
  });

  const take = (begin: (lock: Lock) => void): Promise<unknown> => {
    const { redlock } = pool.client();
    const work = async (name: string): Promise<void> => {
      const lock = await redlock.acquire(name, TERMS);
      begin(lock);
      await lock.release();
    };
    return pool.clock.until(Promise.all(NAMES.map(work)));
  };

  it('get no lock that a majority of nodes no longer has, although its time is not up', async () => {
    const owned: boolean[] = [];
    await take((lock) => {
      owned.push(pool.owners(lock.resources[0]!).every((owner) => owner === lock.value));
      if (owned.length > 1) return;
      for (const node of pool.memory) node.flush();
      pool.clock.block(COMPUTING);
    });
    expect(owned).toEqual(NAMES.map(() => true));
  });

  describe('and that lost their keys on a node which answers extensions late', () => {
    const lateNode = () => pool.nodes[2]!;
    const loseKeys = (): void => {
      pool.memory[2]!.flush();
      lateNode().faults = { extend: { slow: 30 } };
      pool.clock.block(COMPUTING);
    };
    const nothingTaken = async (): Promise<void> => {
      const asked = lateNode().callsOf('acquire').length;
      await pool.clock.advance(100);
      expect([lateNode().callsOf('extend').length > 0, lateNode().callsOf('acquire').length]).toEqual([true, asked]);
      expect(NAMES.flatMap((name) => pool.owners(name)).filter(Boolean)).toEqual([]);
    };

    it('take none of them back after their release', async () => {
      let begun = 0;
      await take(() => {
        begun += 1;
        if (begun === 1) loseKeys();
      });
      await nothingTaken();
    });

    it('take none of them back after an abort between the extension and the turn of the caller', async () => {
      const { redlock } = pool.client();
      const abort = new AbortController();
      let begun = 0;
      const work = async (name: string): Promise<void> => {
        const lock = await redlock.acquire(name, { ...TERMS, signal: abort.signal });
        begun += 1;
        if (begun === 1) loseKeys();
        else abort.abort(new Error('enough'));
        await lock.release();
      };
      const ends = await pool.clock.until(Promise.allSettled(NAMES.map(work)));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      await nothingTaken();
    });
  });
});

describe('a lock whose program computes for longer than its lease at the wrong moment', () => {
  let pool: MemoryPool;
  beforeEach(() => {
    pool = new MemoryPool();
  });

  it.each([
    ['passes from another caller of its process, which computes as soon as it has released it', [TERMS, TERMS]],
    ['is asked for together with the release of another caller, which computes then', [TERMS, { ...TERMS, ttl: 400 }]],
  ])('is valid when it %s', async (_, [first, second]) => {
    const { redlock } = pool.client();
    const seen: boolean[] = [];
    const take = async (terms = TERMS): Promise<void> => {
      const lock = await redlock.acquire('a', terms);
      seen.push(lock.isValid);
      await pool.clock.sleep(1);
      await lock.release();
      pool.clock.block(600);
    };
    await pool.clock.until(Promise.all([take(first), take(first), take(second), take(second)]));
    expect(seen).toEqual([true, true, true, true]);
  });

  it('is valid when it is given, and is reported as lost and acquired again, if a listener of its event computes too long', async () => {
    const types: string[] = [];
    const listener = ({ type }: LockEvent): void => {
      types.push(type);
      if (types.length === 1) pool.clock.block(600);
    };
    const { redlock } = pool.client({ listener });
    const lock = await pool.clock.until(redlock.acquire('a', TERMS));
    expect(lock.isValid).toBe(true);
    await pool.clock.until(lock.release());
    expect(types).toEqual(['acquired', 'lost', 'acquired', 'released']);
  });
});
