import { expect, it } from '@jest/globals';
import type { ContractSuite } from './contract-suite.js';

export function describeExtend(suite: ContractSuite): void {
  it.each([1_000_000, 10_000])('makes the lease end %i ms from now', async (ttl) => {
    const a = suite.fresh();
    const claim = suite.claimOf(a);
    await suite.acquire(claim, 100_000);
    expect(await suite.extend(claim, ttl)).toEqual({ kind: 'extended' });
    expect(await suite.left(a)).toBeGreaterThan(ttl / 2);
    expect(await suite.left(a)).toBeLessThanOrEqual(ttl);
  });

  it('answers "missing" where the key is gone, and plants nothing', async () => {
    const a = suite.fresh();
    expect(await suite.extend(suite.claimOf(a))).toEqual({ kind: 'missing' });
    expect(await suite.under.read(a)).toBeUndefined();
  });

  it('answers "taken" where it is another\'s, and leaves that alone', async () => {
    const a = suite.fresh();
    await suite.under.plant(a, 'foreign', 10_000);
    expect(await suite.extend(suite.claimOf(a), 1_000_000)).toEqual({ kind: 'taken' });
    expect(await suite.left(a)).toBeLessThanOrEqual(10_000);
  });

  it('extends all of several resources', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    const claim = suite.claimOf(a, b);
    await suite.acquire(claim, 10_000);
    expect(await suite.extend(claim, 1_000_000)).toEqual({ kind: 'extended' });
    expect(await suite.left(a)).toBeGreaterThan(10_000);
    expect(await suite.left(b)).toBeGreaterThan(10_000);
  });

  it('extends none of several where one is missing', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    const claim = suite.claimOf(a, b);
    await suite.under.plant(a, claim.value, 10_000);
    expect(await suite.extend(claim, 1_000_000)).toEqual({ kind: 'missing' });
    expect(await suite.left(a)).toBeLessThanOrEqual(10_000);
    expect(await suite.under.read(b)).toBeUndefined();
  });

  it('answers "taken" rather than "missing" where both are true', async () => {
    const [a, b, c] = [suite.fresh(), suite.fresh(), suite.fresh()];
    const claim = suite.claimOf(a, b, c);
    await suite.under.plant(a, claim.value, 10_000);
    await suite.under.plant(c, 'foreign', 10_000);
    expect(await suite.extend(claim, 1_000_000)).toEqual({ kind: 'taken' });
    expect(await suite.left(a)).toBeLessThanOrEqual(10_000);
  });
}
