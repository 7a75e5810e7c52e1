import { expect, it } from '@jest/globals';
import { Claim } from '../../lib/core/port/claim.js';
import type { ContractSuite } from './contract-suite.js';

export function describeRelease(suite: ContractSuite): void {
  it('deletes a resource that the claim holds, once', async () => {
    const a = suite.fresh();
    const claim = suite.claimOf(a);
    await suite.acquire(claim);
    expect(await suite.release(claim)).toEqual({ kind: 'released' });
    expect(await suite.under.read(a)).toBeUndefined();
    expect(await suite.release(claim)).toEqual({ kind: 'gone' });
  });

  it('leaves a resource alone that another claim holds', async () => {
    const a = suite.fresh();
    await suite.under.plant(a, 'foreign', 60_000);
    expect(await suite.release(suite.claimOf(a))).toEqual({ kind: 'gone' });
    expect(await suite.under.read(a)).toBe('foreign');
  });

  it('deletes those of several resources that the claim holds', async () => {
    const [a, b, c] = [suite.fresh(), suite.fresh(), suite.fresh()];
    const claim = suite.claimOf(a, b, c);
    await suite.under.plant(a, claim.value, 60_000);
    await suite.under.plant(b, 'foreign', 60_000);
    expect(await suite.release(claim)).toEqual({ kind: 'released' });
    expect(await suite.read(a, b, c)).toEqual([undefined, 'foreign', undefined]);
  });

  it('by a claim without a place takes no waiter with its value out of a line', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    await suite.under.plant(a, 'foreign');
    const [part] = await suite.lineUp(a, 1);
    const whole = new Claim([a, b], part!.claim.value);
    expect(await suite.release(whole)).toEqual({ kind: 'gone' });
    await suite.under.plant(a, 'holder', 30);
    await suite.under.pass(40);
    expect(await suite.acquire(suite.claimOf(a))).toMatchObject({ kind: 'held', owner: part!.claim.value });
    await part!.told();
  });

  it('of several resources that are followed serves no waiter, and does not affect what is asked in the same turn', async () => {
    const [a, b, c, d] = [suite.fresh(), suite.fresh(), suite.fresh(), suite.fresh()];
    const [both, others] = [suite.claimOf(a, b), suite.claimOf(c, d)];
    await suite.acquire(both);
    const [waiter] = await suite.lineUp(b, 1);
    const answers = Promise.all([suite.acquire(others), suite.releaseFollowed(both), suite.release(others)]);
    expect((await answers).map(({ kind }) => kind)).toEqual(['granted', 'released', 'released']);
    expect([await suite.read(a, b, c, d), waiter!.grants]).toEqual([Array(4).fill(undefined), []]);
    expect(await suite.acquire(waiter!.claim)).toMatchObject({ kind: 'granted' });
  });
}
