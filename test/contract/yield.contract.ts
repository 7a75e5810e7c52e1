import { expect, it } from '@jest/globals';
import type { WaiterStub } from '../support/waiter-stub.js';
import type { ContractSuite } from './contract-suite.js';

export function describeYield(suite: ContractSuite): void {
  /** A holder of the resource that arrived at 20. */
  const owned = async (value?: string): Promise<{ a: string; owner: WaiterStub }> => {
    const a = suite.fresh();
    const owner = suite.waiterFor(a, 20, { value });
    await suite.acquire(owner.claim);
    return { a, owner };
  };

  it('keeps a resource that nobody else waits for', async () => {
    const { a, owner } = await owned();
    expect(await suite.yield(owner.claim)).toEqual({ kind: 'kept' });
    expect(await suite.left(a)).toBeGreaterThan(30_000);
    expect(await suite.successionOf(a, [owner])).toEqual([owner.claim]);
  });

  it('keeps a resource that only younger claims wait for, and does not stand in its line', async () => {
    const { a, owner } = await owned();
    const [younger] = await suite.lineUp(a, 30);
    expect(await suite.yield(owner.claim)).toEqual({ kind: 'kept' });
    expect(await suite.left(a)).toBeGreaterThan(30_000);
    expect(await suite.successionOf(a, [owner, younger!])).toEqual([owner.claim, younger!.claim]);
  });

  it('passes the resource to an older waiter, keeps it for the grace of that waiter, and tells it', async () => {
    const { a, owner } = await owned();
    const older = suite.waiterFor(a, 10, { ttl: 20_000 });
    await suite.acquire(older.claim);
    expect(await suite.yield(owner.claim)).toEqual({ kind: 'passed' });
    await older.told();
    expect(await suite.under.read(a)).toBe(older.claim.value);
    expect(await suite.left(a)).toBeLessThanOrEqual(20_000);
    await suite.probed();
    expect(owner.grants).toEqual([]);
  });

  it('stands in line behind the one that it passed to, and before the younger ones', async () => {
    const { a, owner } = await owned();
    const [younger, older] = await suite.lineUp(a, 30, 10);
    await suite.yield(owner.claim);
    expect(await suite.successionOf(a, [younger!, owner, older!])).toEqual([older!.claim, owner.claim, younger!.claim]);
  });

  it('is told when it is its turn again', async () => {
    const { a, owner } = await owned();
    const [older] = await suite.lineUp(a, 10);
    await suite.yield(owner.claim);
    await suite.release(older!.claim);
    await suite.probed();
    expect(owner.grants).toHaveLength(1);
    expect(await suite.under.read(a)).toBe(owner.claim.value);
  });

  it('stands in line once, though it asks again', async () => {
    const { a, owner } = await owned();
    const [older] = await suite.lineUp(a, 10);
    await suite.yield(owner.claim);
    expect(await suite.acquire(owner.claim)).toMatchObject({ kind: 'held', owner: older!.claim.value });
    expect(await suite.successionOf(a, [owner, older!])).toEqual([older!.claim, owner.claim]);
  });

  it.each([
    ['a', 'passed'],
    ['c', 'kept'],
  ])(
    'takes the one with the lesser value for the older of two that arrived at the same time: %s',
    async (value, kind) => {
      const { a, owner } = await owned('b');
      await suite.acquire(suite.waiterFor(a, 20, { value }).claim);
      expect(await suite.yield(owner.claim)).toEqual({ kind });
    },
  );

  it('is told that it is gone when another claim has the resource, also when it waits for the resource itself', async () => {
    const { a, owner } = await owned();
    const [waiter] = await suite.lineUp(a, 10);
    expect(await suite.yield(waiter!.claim)).toEqual({ kind: 'gone' });
    expect(await suite.yield(suite.waiterFor(a, 5).claim)).toEqual({ kind: 'gone' });
    expect(await suite.successionOf(a, [owner, waiter!])).toEqual([owner.claim, waiter!.claim]);
  });

  it('is gone where it was gone before, and takes no place', async () => {
    const { a, owner } = await owned();
    await suite.release(owner.claim);
    expect(await suite.yield(owner.claim)).toEqual({ kind: 'gone' });
    const other = suite.claimOf(a);
    await suite.acquire(other);
    expect(await suite.successionOf(a, [{ claim: other }, owner])).toEqual([other]);
  });
}
