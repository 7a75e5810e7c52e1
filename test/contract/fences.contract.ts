import { describe, expect, it } from '@jest/globals';
import { TOKENS_PER_GRANT } from '../../lib/core/port/fencing.js';
import { TRUSTING } from '../support/trust.js';
import type { ContractSuite } from './contract-suite.js';

/** Microseconds by which a proposal may be off the node's clock. */
const FAR = TRUSTING.maxTtl * 500;
const OUTRUN = /^its fence counters are \d+ ms ahead of its clock, more than half of maxTtl$/;

export function describeFences(suite: ContractSuite): void {
  describe('fence counters', () => {
    it('begin with what is proposed', async () => {
      const proposal = suite.microseconds();
      expect(await suite.fenceOf(suite.claimOf(suite.fresh()), proposal)).toBe(proposal);
    });

    it('grow with every holder, whatever it proposes', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const fences: number[] = [];
      for (const proposal of [now, now, now - 5_000_000, now + 3, now + 3]) {
        const claim = suite.claimOf(a);
        fences.push(await suite.fenceOf(claim, proposal));
        await suite.release(claim);
      }
      expect(fences).toEqual([0, 1, 2, 3, 4].map((turn) => now + turn));
    });

    it('outlive a lock that ended by itself', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      await suite.acquire(suite.claimOf(a), 20, now);
      await suite.under.pass(40);
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 1);
    });

    it('stay for the same holder, unless it proposes more', async () => {
      const [claim, now] = [suite.claimOf(suite.fresh()), suite.microseconds()];
      expect(await suite.fenceOf(claim, now)).toBe(now);
      expect(await suite.fenceOf(claim, now)).toBe(now);
      expect(await suite.fenceOf(claim, now + 10)).toBe(now + 10);
    });

    it('of several resources meet above all of them', async () => {
      const [a, b, now] = [suite.fresh(), suite.fresh(), suite.microseconds()];
      for (const [resource, proposal] of [
        [a, now + 50],
        [b, now + 20],
      ] as const) {
        const claim = suite.claimOf(resource);
        await suite.acquire(claim, 60_000, proposal);
        await suite.release(claim);
      }
      const both = suite.claimOf(a, b);
      expect(await suite.fenceOf(both, now)).toBe(now + 51);
      await suite.release(both);
      expect(await suite.fenceOf(suite.claimOf(b), now)).toBe(now + 52);
    });

    it('continue for the next waiter in line', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder, 60_000, now);
      const [waiter] = await suite.lineUp(a, 1);
      await suite.release(holder);
      await waiter!.told();
      expect(waiter!.grants).toMatchObject([{ fence: now + 1 }]);
      await suite.release(waiter!.claim);
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 1 + TOKENS_PER_GRANT);
    });

    it.each([
      ['before', -1],
      ['after', 1],
    ])('do not follow a clock that is far %s that of the node: the node gives no vote', async (_, side) => {
      const a = suite.fresh();
      const answer = await suite.acquire(suite.claimOf(a), 60_000, suite.microseconds() + side * 3 * FAR);
      expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringMatching(/clocks .* \d+ ms apart/) });
      expect(await suite.read(a)).toEqual([undefined]);
      const near = suite.microseconds() + side * 0.9 * FAR;
      expect(await suite.fenceOf(suite.claimOf(a), near)).toBe(near);
    });

    it('are raised for a holder, which is told that it still holds the resource', async () => {
      const [claim, now] = [suite.claimOf(suite.fresh()), suite.microseconds()];
      await suite.acquire(claim, 60_000, now);
      expect(await suite.raise(claim, now + 5)).toEqual({ kind: 'raised' });
      await suite.release(claim);
      expect(await suite.fenceOf(suite.claimOf(...claim.resources), now)).toBe(now + 6);
    });

    it('are raised, and never lowered, for a claim that no longer has the resource', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const gone = suite.claimOf(a);
      expect(await suite.raise(gone, now + 5)).toEqual({ kind: 'gone' });
      expect(await suite.raise(gone, now + 1)).toEqual({ kind: 'gone' });
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 6);
    });

    it('are raised for several resources at once', async () => {
      const [a, b, now] = [suite.fresh(), suite.fresh(), suite.microseconds()];
      const both = suite.claimOf(a, b);
      await suite.acquire(both, 60_000, now);
      expect(await suite.raise(both, now + 9)).toEqual({ kind: 'raised' });
      await suite.release(both);
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 10);
      expect(await suite.fenceOf(suite.claimOf(b), now)).toBe(now + 10);
    });
  });

  describe('fence counters, in the same turn as others', () => {
    it('are raised as far as is asked, however old the token is, and no further than votes allow', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const far = now + 0.9 * FAR;
      for (const [token, answer] of [
        [now - 3 * FAR, { kind: 'raised' }],
        [now, { kind: 'raised' }],
        [far, { kind: 'raised' }],
        [now + 3 * FAR, { kind: 'unknown', reason: expect.stringMatching(OUTRUN) }],
      ] as const) {
        const [claim, other] = [suite.claimOf(a), suite.claimOf(suite.fresh())];
        await suite.acquire(claim, 60_000, now);
        const [given] = await Promise.all([suite.raise(claim, token), suite.acquire(other, 60_000, now)]);
        expect(given).toMatchObject(answer);
        await suite.release(claim);
      }
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(far + 2);
    });

    it('are for each claim the token that it proposed', async () => {
      const [names, now] = [[suite.fresh(), suite.fresh(), suite.fresh()], suite.microseconds()];
      const fences = names.map((name, index) => suite.fenceOf(suite.claimOf(name), now + index));
      expect(await Promise.all(fences)).toEqual([now, now + 1, now + 2]);
    });

    it.each([0, 1, 2])('of three at once do not affect each other: that of number %i is ahead', async (ahead) => {
      const [names, now] = [[suite.fresh(), suite.fresh(), suite.fresh()], suite.microseconds()];
      await suite.raise(suite.claimOf(names[ahead]!), now + 50);
      const fences = await Promise.all(names.map((name) => suite.fenceOf(suite.claimOf(name), now)));
      expect(fences).toEqual(names.map((_, index) => (index === ahead ? now + 51 : now)));
    });

    it('are raised before a release that follows passes them on', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder, 60_000, now);
      const [waiter] = await suite.lineUp(a, 1);
      await Promise.all([suite.raise(holder, now + 40), suite.release(holder)]);
      await waiter!.told();
      expect(waiter!.grants).toMatchObject([{ fence: now + 41 }]);
    });

    it('are not touched by a vote that is refused, or by an extension', async () => {
      const [claim, now] = [suite.claimOf(suite.fresh()), suite.microseconds()];
      const [a] = claim.resources as [string];
      await suite.acquire(claim, 60_000, now);
      await suite.acquire(suite.claimOf(a), 60_000, now + 50);
      await suite.acquire(suite.claimOf(suite.fresh(), a), 60_000, now + 50);
      await suite.extend(claim);
      await suite.release(claim);
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 1);
    });

    it('tell that a claim of several resources is gone when one of them is gone', async () => {
      const [a, b, now] = [suite.fresh(), suite.fresh(), suite.microseconds()];
      const both = suite.claimOf(a, b);
      await suite.acquire(both, 60_000, now);
      await suite.under.plant(b, 'foreign', 60_000);
      expect(await suite.raise(both, now + 9)).toEqual({ kind: 'gone' });
    });
  });

  describe('the longest ttl', () => {
    const tooLong = TRUSTING.maxTtl + 1;
    const refused = {
      kind: 'unknown',
      reason: expect.stringMatching(/ttl of 10000001 ms is above maxTtl, 10000000 ms/),
    };

    it('is not exceeded by a lock of one resource or of several, or in line', async () => {
      const [a, b] = [suite.fresh(), suite.fresh()];
      expect(await suite.acquire(suite.claimOf(a), tooLong)).toMatchObject(refused);
      expect(await suite.acquire(suite.claimOf(a, b), tooLong)).toMatchObject(refused);
      expect(await suite.acquire(suite.waiterFor(a, 1).claim, tooLong)).toMatchObject(refused);
      expect(await suite.read(a, b)).toEqual([undefined, undefined]);
    });

    it('is not exceeded by an extension', async () => {
      const claim = suite.claimOf(suite.fresh());
      await suite.acquire(claim);
      expect(await suite.extend(claim, tooLong)).toMatchObject(refused);
      expect(await suite.left(claim.resources[0]!)).toBeLessThanOrEqual(60_000);
    });
  });
}
