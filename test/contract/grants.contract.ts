import { expect, it } from '@jest/globals';
import { Claim } from '../../lib/core/port/claim.js';
import type { WaiterStub } from '../support/waiter-stub.js';
import type { ContractSuite } from './contract-suite.js';

export function describeGrants(suite: ContractSuite): void {
  /** A resource with a holder and a waiter. */
  const contested = async (ttl?: number): Promise<{ a: string; holder: Claim; waiter: WaiterStub }> => {
    const a = suite.fresh();
    const holder = suite.claimOf(a);
    await suite.acquire(holder);
    const waiter = suite.waiterFor(a, 10, { ttl });
    await suite.acquire(waiter.claim);
    return { a, holder, waiter };
  };

  it('are told to the waiter, with the node and the earliest time of the grant', async () => {
    const before = suite.under.now();
    const { holder, waiter } = await contested();
    await suite.release(holder);
    await waiter.told();
    const { node, since } = waiter.grants[0]!;
    expect(node).toBe(suite.under.node.name);
    for (const clock of ['monotonic', 'wall'] as const) {
      expect(since[clock]).toBeGreaterThanOrEqual(before[clock]);
      expect(since[clock]).toBeLessThanOrEqual(suite.under.now()[clock]);
    }
  });

  it('are not told before it is the turn of the waiter', async () => {
    const { a, holder, waiter } = await contested();
    const [second] = await suite.lineUp(a, 20);
    await suite.probed();
    expect([waiter.grants, second!.grants]).toEqual([[], []]);
    await suite.release(holder);
    await waiter.told();
    await suite.probed();
    expect([waiter.grants.length, second!.grants.length]).toEqual([1, 0]);
    await suite.release(waiter.claim);
    await second!.told();
  });

  it('are told once, though the waiter asks again before and after', async () => {
    const { a, holder, waiter } = await contested();
    await suite.acquire(waiter.claim);
    await suite.release(holder);
    await waiter.told();
    await suite.acquire(waiter.claim);
    await suite.probed();
    expect(waiter.grants).toHaveLength(1);
    expect(await suite.under.read(a)).toBe(waiter.claim.value);
  });

  it('are not told to a waiter that has left the line', async () => {
    const { a, holder, waiter } = await contested();
    await suite.release(waiter.claim);
    await suite.release(holder);
    await suite.probed();
    expect(waiter.grants).toEqual([]);
    expect(await suite.under.read(a)).toBeUndefined();
  });

  it('are not told by a release that is followed', async () => {
    const { holder, waiter } = await contested();
    await suite.releaseFollowed(holder);
    await suite.probed();
    expect(waiter.grants).toEqual([]);
  });

  it('are not told where the waiter gets it by asking', async () => {
    const { holder, waiter } = await contested();
    await suite.releaseFollowed(holder);
    expect(await suite.acquire(waiter.claim)).toMatchObject({ kind: 'granted' });
    await suite.probed();
    expect(waiter.grants).toEqual([]);
  });

  it('do not take back a vote that is asked for again under the same value in the same batch', async () => {
    const { a, holder, waiter } = await contested();
    const again = new Claim([a], waiter.claim.value);
    const [, , answer] = await Promise.all([suite.release(holder), suite.release(waiter.claim), suite.acquire(again)]);
    expect(answer).toMatchObject({ kind: 'granted' });
    await suite.probed();
    expect(await suite.under.read(a)).toBe(again.value);
  });

  it('last for the grace of the waiter, whatever the holder had', async () => {
    const { a, holder, waiter } = await contested(20_000);
    await suite.release(holder);
    await waiter.told();
    expect(await suite.left(a)).toBeGreaterThan(10_000);
    expect(await suite.left(a)).toBeLessThanOrEqual(20_000);
  });

  it('are over after the grace, and the next question serves the next in line', async () => {
    const { a, holder, waiter } = await contested(30);
    const [second] = await suite.lineUp(a, 20);
    await suite.release(holder);
    await waiter.told();
    await suite.under.pass(40);
    expect(await suite.under.read(a)).toBeUndefined();
    expect(await suite.acquire(suite.claimOf(a))).toMatchObject({ kind: 'held', owner: second!.claim.value });
    await second!.told();
  });

  it('are not told a second time after the grace, however often the waiter asked', async () => {
    const { a, holder, waiter } = await contested(30);
    for (let times = 0; times < 3; times += 1) await suite.acquire(waiter.claim);
    await suite.release(holder);
    await waiter.told();
    await suite.under.pass(40);
    expect(await suite.acquire(suite.claimOf(a))).toMatchObject({ kind: 'granted' });
    expect(waiter.grants).toHaveLength(1);
  });

  it('become whole leases where the waiter asks again', async () => {
    const { a, holder, waiter } = await contested(20_000);
    await suite.release(holder);
    await waiter.told();
    expect(await suite.acquire(waiter.claim, 60_000)).toMatchObject({ kind: 'granted' });
    expect(await suite.left(a)).toBeGreaterThan(30_000);
    expect(await suite.successionOf(a, [waiter])).toEqual([waiter.claim]);
  });

  it('become whole leases where the waiter extends them', async () => {
    const { a, holder, waiter } = await contested(20_000);
    await suite.release(holder);
    await waiter.told();
    expect(await suite.extend(waiter.claim, 60_000)).toEqual({ kind: 'extended' });
    expect(await suite.left(a)).toBeGreaterThan(30_000);
  });

  it('are given back by a release, to the next in line', async () => {
    const { a, holder, waiter } = await contested();
    const [second] = await suite.lineUp(a, 20);
    await suite.release(holder);
    await waiter.told();
    expect(await suite.release(waiter.claim)).toEqual({ kind: 'released' });
    await second!.told();
    expect(await suite.under.read(a)).toBe(second!.claim.value);
  });
}
