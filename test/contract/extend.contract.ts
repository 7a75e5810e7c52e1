import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Claim } from '../../lib/core/port/claim.js';
import type { ContractSuite } from './contract-suite.js';

export function describeExtend(suite: ContractSuite): void {
  const several = [
    ['one resource', 1],
    ['several', 2],
  ] as const;

  describe.each(several)('of %s', (_case, count) => {
    let names: string[];
    let claim: Claim;

    beforeEach(async () => {
      names = Array.from({ length: count }, () => suite.fresh());
      claim = suite.claimOf(...names);
      await suite.acquire(claim, 100_000);
    });

    const expectLeft = async (least: number, most: number): Promise<void> => {
      for (const name of names) {
        expect(await suite.left(name)).toBeGreaterThan(least);
        expect(await suite.left(name)).toBeLessThanOrEqual(most);
      }
    };

    it('makes the lease end so many ms from now', async () => {
      expect(await suite.extend(claim, 1_000_000)).toEqual({ kind: 'extended' });
      await expectLeft(500_000, 1_000_000);
    });

    it('never makes it end sooner: bytes of a broken connection may come last', async () => {
      expect(await suite.extend(claim, 10_000)).toEqual({ kind: 'extended' });
      await expectLeft(50_000, 100_000);
    });

    it('makes it end sooner where its holder is through with it', async () => {
      expect(await suite.keep(claim, 10_000)).toEqual({ kind: 'extended' });
      await expectLeft(5_000, 10_000);
    });
  });

  it('minds no clocks that are apart, since it takes no token', async () => {
    const claim = suite.claimOf(suite.fresh());
    await suite.acquire(claim);
    for (const proposal of [1, suite.microseconds() * 2]) {
      expect(await suite.extend(claim, 60_000, proposal)).toEqual({ kind: 'extended' });
    }
  });

  it('gives a key that never expires an end', async () => {
    const a = suite.fresh();
    const claim = suite.claimOf(a);
    await suite.under.plant(a, claim.value);
    expect(await suite.extend(claim, 10_000)).toEqual({ kind: 'extended' });
    expect(await suite.left(a)).toBeLessThanOrEqual(10_000);
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
