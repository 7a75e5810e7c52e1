import { expect, it } from '@jest/globals';
import type { ContractSuite } from './contract-suite.js';

export function describeDeadWaiters(suite: ContractSuite): void {
  it('are passed over', async () => {
    const a = suite.fresh();
    const holder = suite.claimOf(a);
    await suite.acquire(holder);
    const dead = await suite.lineUpDead(a, 10, 11, 12);
    const [waiter] = await suite.lineUp(a, 20);
    await suite.release(holder);
    await waiter!.told();
    expect(await suite.successionOf(a, [...dead, waiter!])).toEqual([waiter!.claim]);
  });

  it.each([
    ['without a place', (a: string) => suite.claimOf(a)],
    ['with a place', (a: string) => suite.waiterFor(a, 20).claim],
    ['for several resources', (a: string) => suite.claimOf(suite.fresh(), a)],
  ])('do not block a claim when no live waiter is in the line: a claim %s', async (_case, next) => {
    const a = suite.fresh();
    const holder = suite.claimOf(a);
    await suite.acquire(holder);
    await suite.lineUpDead(a, 10, 11);
    await suite.releaseFollowed(holder);
    expect(await suite.acquire(next(a))).toMatchObject({ kind: 'granted' });
  });

  it('leave a released resource free when no live waiter is in the line', async () => {
    const a = suite.fresh();
    const holder = suite.claimOf(a);
    await suite.acquire(holder);
    await suite.lineUpDead(a, 10);
    await suite.release(holder);
    expect(await suite.under.read(a)).toBeUndefined();
  });

  it('use up no fencing tokens', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    const holders = [suite.claimOf(a), suite.claimOf(b)];
    for (const holder of holders) await suite.acquire(holder);
    await suite.lineUpDead(a, 10, 11, 12);
    const waiters = [...(await suite.lineUp(a, 20)), ...(await suite.lineUp(b, 20))];
    for (const holder of holders) await suite.release(holder);
    for (const waiter of waiters) await waiter.told();
    const [past, straight] = waiters.map(({ grants }) => grants[0]!.fence);
    expect(past! - straight!).toBe(0);
  });

  it('are passed nothing: a holder that would yield to them keeps the resource for the rest of its lease', async () => {
    const a = suite.fresh();
    const owner = suite.waiterFor(a, 20);
    await suite.acquire(owner.claim);
    await suite.lineUpDead(a, 10, 11);
    expect(await suite.yield(owner.claim)).toEqual({ kind: 'kept' });
    expect(await suite.left(a)).toBeGreaterThan(30_000);
    expect(await suite.successionOf(a, [owner])).toEqual([owner.claim]);
  });
}
