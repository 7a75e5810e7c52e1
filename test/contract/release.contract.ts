import { expect, it } from '@jest/globals';
import type { ContractSuite } from './contract-suite.js';

export function describeRelease(suite: ContractSuite): void {
  it('deletes what is its own, once', async () => {
    const a = suite.fresh();
    const claim = suite.claimOf(a);
    await suite.acquire(claim);
    expect(await suite.release(claim)).toEqual({ kind: 'released' });
    expect(await suite.under.read(a)).toBeUndefined();
    expect(await suite.release(claim)).toEqual({ kind: 'gone' });
  });

  it("leaves alone what is another's", async () => {
    const a = suite.fresh();
    await suite.under.plant(a, 'foreign', 60_000);
    expect(await suite.release(suite.claimOf(a))).toEqual({ kind: 'gone' });
    expect(await suite.under.read(a)).toBe('foreign');
  });

  it('deletes of several resources those that are its own', async () => {
    const [a, b, c] = [suite.fresh(), suite.fresh(), suite.fresh()];
    const claim = suite.claimOf(a, b, c);
    await suite.under.plant(a, claim.value, 60_000);
    await suite.under.plant(b, 'foreign', 60_000);
    expect(await suite.release(claim)).toEqual({ kind: 'released' });
    expect(await suite.read(a, b, c)).toEqual([undefined, 'foreign', undefined]);
  });
}
