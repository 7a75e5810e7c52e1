import { describe, expect, it } from '@jest/globals';
import type { Claim } from '../../lib/core/port/claim.js';
import { TRUSTING } from '../support/trust.js';
import type { ContractSuite } from './contract-suite.js';

const MANY = 64;
/** Microseconds by which tokens may be ahead of the node's clock. */
const FAR = TRUSTING.maxTtl * 500;
const OUTRUN = {
  kind: 'unknown',
  reason: expect.stringMatching(/^its fence counters are \d+ ms ahead of its clock, more than half of maxTtl$/),
};

export function describeTokens(suite: ContractSuite): void {
  const asking = (resource: string, tokens: number, arrived = 1): Claim =>
    suite.waiterFor(resource, arrived, { tokens }).claim;

  describe('the tokens that come with a vote', () => {
    it('are as many as are asked for', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const fences: number[] = [];
      for (const tokens of [1, MANY, 1, MANY, MANY]) {
        const claim = asking(a, tokens);
        fences.push(await suite.fenceOf(claim, now));
        await suite.release(claim);
      }
      expect(fences.map((fence) => fence - now)).toEqual([0, 1, 1 + MANY, 2 + MANY, 2 + 2 * MANY]);
    });

    it('are the same when the holder asks again, unless it proposes more', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const claim = asking(a, MANY);
      for (const ahead of [0, 0, 10]) expect(await suite.fenceOf(claim, now + ahead)).toBe(now + ahead);
      await suite.release(claim);
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 10 + MANY);
    });

    it('are counted one after the other for names that share a counter, also in the same turn', async () => {
      const [names, now] = [suite.freshAlike(4), suite.microseconds()];
      const claims = [1, MANY, MANY, 1].map((tokens, index) => asking(names[index]!, tokens));
      const fences = await Promise.all(claims.map((claim) => suite.fenceOf(claim, now)));
      expect(fences.map((fence) => fence - now)).toEqual([0, 1, 1 + MANY, 1 + 2 * MANY]);
    });

    it('are 64 for a waiter when it is its turn, however many it asked for', async () => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder, 60_000, now);
      const waiters = [MANY, 1, MANY].map((tokens, index) => suite.waiterFor(a, index, { tokens }));
      for (const { claim } of waiters) await suite.acquire(claim, 60_000, now);
      for (const next of [holder, ...waiters.map(({ claim }) => claim)]) await suite.release(next);
      await suite.probed();
      const fences = waiters.map(({ grants }) => grants.map(({ fence }) => fence - now));
      expect(fences).toEqual([[1], [1 + MANY], [1 + 2 * MANY]]);
      expect(await suite.fenceOf(suite.claimOf(a), now)).toBe(now + 1 + 3 * MANY);
    });

    it.each([
      [MANY, 0],
      [1, MANY - 1],
    ])('are of those that it was given, for a waiter that has been served and asks for %i', async (tokens, ahead) => {
      const [a, now] = [suite.fresh(), suite.microseconds()];
      const holder = suite.claimOf(a);
      await suite.acquire(holder, 60_000, now);
      const waiter = suite.waiterFor(a, 1, { tokens });
      await suite.acquire(waiter.claim, 60_000, now);
      await suite.release(holder);
      await waiter.told();
      expect((await suite.fenceOf(waiter.claim, now)) - waiter.grants[0]!.fence).toBe(ahead);
    });
  });

  describe('a fence counter that is far ahead of the clock', () => {
    /** The holder has so many tokens that none is left for the claims after it. */
    const outrun = async (resource: string): Promise<Claim> => {
      const claim = asking(resource, 3 * FAR);
      expect(await suite.acquire(claim, 60_000, suite.microseconds())).toMatchObject({ kind: 'granted' });
      return claim;
    };

    it.each([
      ['one resource', (a: string) => suite.claimOf(a)],
      ['a claim that would wait', (a: string) => asking(a, 1)],
      ['several resources', (a: string) => suite.claimOf(suite.fresh(), a)],
    ])('gives no vote, and leaves nothing taken: %s', async (_, claimOf) => {
      const a = suite.fresh();
      await suite.release(await outrun(a));
      const claim = claimOf(a);
      expect(await suite.acquire(claim, 60_000, suite.microseconds())).toMatchObject(OUTRUN);
      expect(new Set(await suite.read(...claim.resources))).toEqual(new Set([undefined]));
    });

    it('does not affect votes on other resources that are asked for in the same turn', async () => {
      const [names, alike] = [[suite.fresh(), suite.fresh()], suite.freshAlike(3)];
      await suite.release(await outrun(alike[0]!));
      const resources = [names[0]!, ...alike, names[1]!];
      const now = suite.microseconds();
      const answers = await Promise.all(resources.map((name) => suite.acquire(suite.claimOf(name), 60_000, now)));
      const granted = { kind: 'granted', fence: now };
      expect(answers).toMatchObject([granted, OUTRUN, OUTRUN, OUTRUN, granted]);
      expect((await suite.read(...resources)).map((value) => value !== undefined)).toEqual([
        true,
        false,
        false,
        false,
        true,
      ]);
    });

    it('takes back nothing that another claim has by then', async () => {
      const [a, b] = suite.freshAlike(2) as [string, string];
      const holder = await outrun(a);
      const [first, second] = [suite.claimOf(b), suite.claimOf(b)];
      const now = suite.microseconds();
      const answers = Promise.all([
        suite.acquire(first, 60_000, now),
        suite.release(first),
        suite.acquire(second, 60_000, now),
      ]);
      expect((await answers).map(({ kind }) => kind)).toMatchObject(['unknown', expect.any(String), 'unknown']);
      expect(await suite.read(a, b)).toEqual([holder.value, undefined]);
    });

    it('leaves the line as it is, and serves no waiter', async () => {
      const a = suite.fresh();
      const holder = await outrun(a);
      const waiters = await suite.lineUp(a, 10, 11);
      await suite.release(holder);
      await suite.probed();
      expect([await suite.under.read(a), waiters.flatMap(({ grants }) => grants)]).toEqual([undefined, []]);
      expect(await suite.acquire(waiters[1]!.claim)).toMatchObject(OUTRUN);
    });

    it('does not affect the holder, which has its tokens', async () => {
      const a = suite.fresh();
      const holder = await outrun(a);
      expect(await suite.acquire(holder)).toMatchObject({ kind: 'granted' });
      expect(await suite.extend(holder)).toEqual({ kind: 'extended' });
    });

    it('still tells that the resource is held, and by which claim', async () => {
      const a = suite.fresh();
      const holder = await outrun(a);
      expect(await suite.acquire(suite.claimOf(a))).toMatchObject({ kind: 'held', owner: holder.value });
    });
  });
}
