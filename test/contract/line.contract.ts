import { expect, it } from '@jest/globals';
import type { Claim } from '../../lib/core/port/claim.js';
import type { HeldAnswer } from '../../lib/core/port/lock-node.js';
import type { ContractSuite } from './contract-suite.js';

export function describeLine(suite: ContractSuite): void {
  const heldBy = async (resource: string): Promise<Claim> => {
    const holder = suite.claimOf(resource);
    await suite.acquire(holder);
    return holder;
  };

  it('takes in a claim with a place for a held resource, and answers it like any other claim', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const waiter = suite.waiterFor(a, 10);
    expect(await suite.acquire(waiter.claim)).toEqual({
      kind: 'held',
      remaining: expect.any(Number),
      owner: holder.value,
    });
    expect(await suite.under.read(a)).toBe(holder.value);
    expect(await suite.release(holder)).toEqual({ kind: 'released' });
    expect(await suite.under.read(a)).toBe(waiter.claim.value);
  });

  it('does not take in a claim without a place', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    expect((await suite.acquire(suite.claimOf(a))).kind).toBe('held');
    await suite.release(holder);
    expect(await suite.under.read(a)).toBeUndefined();
  });

  it('does not take in a claim that gets a free resource', async () => {
    const a = suite.fresh();
    const { claim } = suite.waiterFor(a, 10);
    expect(await suite.acquire(claim)).toMatchObject({ kind: 'granted' });
    await suite.release(claim);
    expect(await suite.under.read(a)).toBeUndefined();
  });

  it.each([
    [
      [10, 20, 30],
      [0, 1, 2],
    ],
    [
      [30, 10, 20],
      [1, 2, 0],
    ],
    [
      [20, 30, 10],
      [2, 0, 1],
    ],
  ])('serves waiters by their time of arrival, whichever of them asked first: %j', async (arrivals, order) => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const waiters = await suite.lineUp(a, ...arrivals);
    await suite.release(holder);
    expect(await suite.successionOf(a, waiters)).toEqual(order.map((index) => waiters[index]!.claim));
  });

  it('distinguishes arrivals by the microsecond', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const now = Date.now() * 1_000;
    const waiters = await suite.lineUp(a, now + 1, now + 2, now);
    await suite.release(holder);
    const [second, third, first] = waiters.map(({ claim }) => claim);
    expect(await suite.successionOf(a, waiters)).toEqual([first, second, third]);
  });

  it('serves waiters that arrived in the same microsecond in the order of their values, so that all nodes agree', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const waiters = ['c', 'a', 'b'].map((value) => suite.waiterFor(a, 10, { value }));
    for (const { claim } of waiters) await suite.acquire(claim);
    await suite.release(holder);
    expect((await suite.successionOf(a, waiters)).map((claim) => claim?.value)).toEqual(['a', 'b', 'c']);
  });

  it('has each waiter once, however often it asks', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const [first, second] = await suite.lineUp(a, 10, 20);
    for (const { claim } of [second!, first!, first!]) expect((await suite.acquire(claim)).kind).toBe('held');
    await suite.release(holder);
    expect(await suite.successionOf(a, [first!, second!])).toEqual([first!.claim, second!.claim]);
  });

  it('is one for each resource', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    const holders = [await heldBy(a), await heldBy(b)];
    const [waiter] = await suite.lineUp(a, 10);
    await suite.release(holders[1]!);
    expect(await suite.read(a, b)).toEqual([holders[0]!.value, undefined]);
    await suite.release(holders[0]!);
    expect(await suite.read(a, b)).toEqual([waiter!.claim.value, undefined]);
  });

  it('is left by a release', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const [first, second] = await suite.lineUp(a, 10, 20);
    expect(await suite.release(first!.claim)).toEqual({ kind: 'gone' });
    expect(await suite.under.read(a)).toBe(holder.value);
    await suite.release(holder);
    expect(await suite.successionOf(a, [first!, second!])).toEqual([second!.claim]);
  });

  it('is not served by a release that is followed', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    await suite.lineUp(a, 10);
    expect(await suite.releaseFollowed(holder)).toEqual({ kind: 'released' });
    expect(await suite.under.read(a)).toBeUndefined();
  });

  it('is served by the claim that follows the release, which gets the resource if it arrived first', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const [waiter] = await suite.lineUp(a, 20);
    const next = suite.waiterFor(a, 10);
    const released = suite.releaseFollowed(holder);
    expect(await suite.acquire(next.claim, 60_000)).toMatchObject({ kind: 'granted' });
    expect(await released).toEqual({ kind: 'released' });
    expect(await suite.left(a)).toBeGreaterThan(30_000);
    expect(await suite.successionOf(a, [waiter!, next])).toEqual([next.claim, waiter!.claim]);
  });

  it('is served by the claim that follows the release, which joins the line if another waiter arrived first', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const [waiter] = await suite.lineUp(a, 10);
    const next = suite.waiterFor(a, 20);
    const released = suite.releaseFollowed(holder);
    const answer = await suite.acquire(next.claim);
    expect(answer).toMatchObject({ kind: 'held', owner: waiter!.claim.value });
    expect((answer as HeldAnswer).remaining).toBeGreaterThan(30_000);
    await released;
    expect(await suite.successionOf(a, [waiter!, next])).toEqual([waiter!.claim, next.claim]);
  });

  it('comes before a claim without a place, though the resource is free', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    const [waiter] = await suite.lineUp(a, 10);
    await suite.releaseFollowed(holder);
    const answer = await suite.acquire(suite.claimOf(a));
    expect(answer).toMatchObject({ kind: 'held', owner: waiter!.claim.value });
  });

  it('comes before a claim of several resources, which then gets none of them', async () => {
    const [a, b, c] = [suite.fresh(), suite.fresh(), suite.fresh()];
    const holders = [await heldBy(b), await heldBy(c)];
    const [forB] = await suite.lineUp(b, 10);
    const [forC] = await suite.lineUp(c, 10);
    for (const holder of holders) await suite.releaseFollowed(holder);
    expect((await suite.acquire(suite.claimOf(a, b, c))).kind).toBe('held');
    expect(await suite.read(a, b, c)).toEqual([undefined, forB!.claim.value, forC!.claim.value]);
  });

  it.each([
    ['without a place', (a: string) => suite.claimOf(a)],
    ['with a place', (a: string) => suite.waiterFor(a, 20).claim],
    ['for several resources', (a: string) => suite.claimOf(suite.fresh(), a)],
  ])('is served by the next claim after the holder has died: a claim %s', async (_case, next) => {
    const a = suite.fresh();
    await suite.acquire(suite.claimOf(a), 30);
    const [waiter] = await suite.lineUp(a, 10);
    await suite.under.pass(40);
    expect(await suite.acquire(next(a))).toMatchObject({ kind: 'held', owner: waiter!.claim.value });
    await waiter!.told();
  });

  it('is served by the next release after the holder has died', async () => {
    const a = suite.fresh();
    const holder = suite.claimOf(a);
    await suite.acquire(holder, 30);
    const [waiter] = await suite.lineUp(a, 10);
    await suite.under.pass(40);
    expect(await suite.release(holder)).toEqual({ kind: 'gone' });
    expect(await suite.under.read(a)).toBe(waiter!.claim.value);
  });

  it('is not served by a release of a resource that another claim holds', async () => {
    const a = suite.fresh();
    const holder = await heldBy(a);
    await suite.lineUp(a, 10);
    await suite.release(suite.claimOf(a));
    expect(await suite.under.read(a)).toBe(holder.value);
  });
}
