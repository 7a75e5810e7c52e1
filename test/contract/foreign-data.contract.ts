import { describe, expect, it } from '@jest/globals';
import { DATA_OF_OTHERS } from '../../lib/redis/scripts/protocol.js';
import type { ContractSuite } from './contract-suite.js';

const SIZES = [
  ['of one resource', 1],
  ['of several', 3],
] as const;

/** Keys of another type than that of a lock: other lock libraries and other data. */
export function describeForeignData(suite: ContractSuite): void {
  describe.each(SIZES)('a claim %s, one of which holds data of another type,', (_size, count) => {
    /** Names of which the last holds data. */
    const names = async (ttl?: number): Promise<string[]> => {
      const fresh = Array.from({ length: count }, () => suite.fresh());
      await suite.under.plant(fresh.at(-1)!, DATA_OF_OTHERS, ttl);
      return fresh;
    };
    /** That nothing was taken, and that the data is there. */
    const expectUntouched = async (all: readonly string[]): Promise<void> => {
      expect(await suite.read(...all)).toEqual([...all.slice(1).map(() => undefined), DATA_OF_OTHERS]);
    };

    it('is held for as long as the data lasts', async () => {
      const all = await names(60_000);
      const answer = await suite.acquire(suite.claimOf(...all));
      expect(answer).toEqual({ kind: 'held', owner: DATA_OF_OTHERS, remaining: expect.any(Number) });
      expect(answer).toMatchObject({ remaining: expect.closeTo(60_000, -5) });
      await expectUntouched(all);
    });

    it('is held for ever where the data has no end', async () => {
      const all = await names();
      const answer = await suite.acquire(suite.claimOf(...all));
      expect(answer).toEqual({ kind: 'held', owner: DATA_OF_OTHERS, remaining: Infinity });
      await expectUntouched(all);
    });

    it('is granted once the data has expired', async () => {
      const all = await names(30);
      await suite.under.pass(40);
      expect(await suite.acquire(suite.claimOf(...all))).toMatchObject({ kind: 'granted' });
    });

    it('can neither be extended, raised nor released', async () => {
      const all = await names();
      const claim = suite.claimOf(...all);
      expect(await suite.extend(claim)).toEqual({ kind: 'taken' });
      expect(await suite.raise(claim, 1)).toEqual({ kind: 'gone' });
      expect(await suite.release(claim)).toEqual({ kind: 'gone' });
      expect(await suite.releaseFollowed(claim)).toEqual({ kind: 'gone' });
      expect(await suite.keep(claim)).toEqual({ kind: 'taken' });
      await expectUntouched(all);
    });

    it('gives back what is its own', async () => {
      const all = await names();
      const claim = suite.claimOf(...all);
      for (const name of all.slice(0, -1)) await suite.under.plant(name, claim.value, 60_000);
      expect(await suite.release(claim)).toEqual({ kind: count > 1 ? 'released' : 'gone' });
      await expectUntouched(all);
    });
  });

  it('is waited for in line, and the oldest waiter is served when it expires', async () => {
    const a = suite.fresh();
    await suite.under.plant(a, DATA_OF_OTHERS, 30);
    const [younger, older] = await suite.lineUp(a, 2, 1);
    expect(await suite.acquire(younger!.claim)).toMatchObject({ kind: 'held', owner: DATA_OF_OTHERS });
    await suite.under.pass(40);
    expect(await suite.acquire(younger!.claim)).toMatchObject({ kind: 'held', owner: older!.claim.value });
    await older!.told();
  });

  it('is left by a waiter that gives up', async () => {
    const a = suite.fresh();
    await suite.under.plant(a, DATA_OF_OTHERS, 60_000);
    const [waiter] = await suite.lineUp(a, 1);
    expect(await suite.release(waiter!.claim)).toEqual({ kind: 'gone' });
    expect(await suite.under.read(a)).toBe(DATA_OF_OTHERS);
    await suite.under.plant(a, 'holder', 30);
    await suite.under.pass(40);
    expect(await suite.acquire(suite.claimOf(a))).toMatchObject({ kind: 'granted' });
  });

  it('in the place of a lock makes a yield answer that the lock is gone', async () => {
    const a = suite.fresh();
    const waiter = suite.waiterFor(a, 2);
    await suite.acquire(waiter.claim);
    await suite.lineUp(a, 1);
    await suite.under.plant(a, DATA_OF_OTHERS);
    expect(await suite.yield(waiter.claim)).toEqual({ kind: 'gone' });
    expect(await suite.under.read(a)).toBe(DATA_OF_OTHERS);
  });
}
