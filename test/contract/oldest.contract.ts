import { describe, expect, it } from '@jest/globals';
import type { ContractSuite } from './contract-suite.js';

export function describeOldest(suite: ContractSuite): void {
  describe('the arrival time of the oldest other waiter, told with a vote,', () => {
    /** When the oldest waiter arrived, in microseconds. */
    const vote = async (...asking: Parameters<typeof suite.acquire>): Promise<number | undefined> => {
      const answer = await suite.acquire(...asking);
      if (answer.kind !== 'granted') throw new Error(`it is ${answer.kind}`);
      return answer.oldest;
    };
    /** A claim for the resource, with a place or without one. */
    const claimFor = (resource: string, how: string) =>
      how === 'with a place' ? suite.waiterFor(resource, 30).claim : suite.claimOf(resource);

    it.each(['with a place', 'without one'])(
      'is none for a claim %s of a free resource that nobody waits for',
      async (how) => {
        const claim = claimFor(suite.fresh(), how);
        expect(await vote(claim, 60_000, suite.microseconds())).toBe(Infinity);
        expect(await suite.release(claim)).toEqual({ kind: 'released' });
      },
    );

    it.each(['with a place', 'without one'])(
      'is none for a claim %s when others wait only for another resource or have given up',
      async (how) => {
        const [a, b] = [suite.fresh(), suite.fresh()];
        for (const resource of [a, b]) await suite.acquire(suite.claimOf(resource));
        const [gone] = await suite.lineUp(a, 10);
        await suite.lineUp(b, 20);
        await suite.release(gone!.claim);
        expect(await vote(claimFor(suite.fresh(), how), 60_000, suite.microseconds())).toBe(Infinity);
      },
    );

    it('is none when nobody waits, also when the counter is ahead of the proposed token', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      await suite.raise(suite.claimOf(a), now + 50);
      expect(await vote(suite.claimOf(a), 60_000, now)).toBe(Infinity);
    });

    it('is that of the next waiter in line for a claim that arrived before all waiters', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder);
      await suite.lineUp(a, now + 30, now + 20);
      await suite.releaseFollowed(holder);
      expect(await vote(suite.waiterFor(a, now + 10).claim)).toBe(now + 20);
    });

    it('is that of the following waiter for a waiter that is granted the resource, and none for the last one', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder);
      const [last, first] = await suite.lineUp(a, now + 20, now + 10);
      await suite.release(holder);
      await first!.told();
      await suite.release(first!.claim);
      await last!.told();
      expect([first!.grants, last!.grants]).toMatchObject([[{ oldest: now + 20 }], [{ oldest: Infinity }]]);
    });

    it('is not told to a claim that already has the resource', async () => {
      const claim = suite.claimOf(suite.fresh());
      await suite.acquire(claim);
      expect(await vote(claim)).toBe(0);
    });

    it('is not told to a claim of several resources', async () => {
      expect(await vote(suite.claimOf(suite.fresh(), suite.fresh()))).toBe(0);
    });
  });
}
