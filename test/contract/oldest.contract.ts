import { describe, expect, it } from '@jest/globals';
import type { ContractSuite } from './contract-suite.js';

export function describeOldest(suite: ContractSuite): void {
  describe('a vote says since when others wait', () => {
    /** When the oldest of them came, microseconds. */
    const vote = async (...asking: Parameters<typeof suite.acquire>): Promise<number | undefined> => {
      const answer = await suite.acquire(...asking);
      if (answer.kind !== 'granted') throw new Error(`it is ${answer.kind}`);
      return answer.oldest;
    };
    /** Somebody who asks for it with a place, or without one. */
    const claimFor = (resource: string, how: string) =>
      how === 'with a place' ? suite.waiterFor(resource, 30).claim : suite.claimOf(resource);

    it.each(['with a place', 'without one'])('nobody does, for who asks %s for what is free', async (how) => {
      const claim = claimFor(suite.fresh(), how);
      expect(await vote(claim, 60_000, suite.microseconds())).toBe(Infinity);
      expect(await suite.release(claim)).toEqual({ kind: 'released' });
    });

    it.each(['with a place', 'without one'])(
      'nobody does, for who asks %s, where others wait for something else, or have given up',
      async (how) => {
        const [a, b] = [suite.fresh(), suite.fresh()];
        for (const resource of [a, b]) await suite.acquire(suite.claimOf(resource));
        const [gone] = await suite.lineUp(a, 10);
        await suite.lineUp(b, 20);
        await suite.release(gone!.claim);
        expect(await vote(claimFor(suite.fresh(), how), 60_000, suite.microseconds())).toBe(Infinity);
      },
    );

    it('nobody does, also where the counter is ahead of what is proposed', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      await suite.raise(suite.claimOf(a), now + 50);
      expect(await vote(suite.claimOf(a), 60_000, now)).toBe(Infinity);
    });

    it('the next in line, for who comes before them', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder);
      await suite.lineUp(a, now + 30, now + 20);
      await suite.releaseFollowed(holder);
      expect(await vote(suite.waiterFor(a, now + 10).claim)).toBe(now + 20);
    });

    it('the one behind him, for who is handed it; nobody, for the last one', async () => {
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

    it('not told to who has it already', async () => {
      const claim = suite.claimOf(suite.fresh());
      await suite.acquire(claim);
      expect(await vote(claim)).toBe(0);
    });

    it('not told to who asks for several', async () => {
      expect(await vote(suite.claimOf(suite.fresh(), suite.fresh()))).toBe(0);
    });
  });
}
