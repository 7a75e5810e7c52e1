import { expect, it } from '@jest/globals';
import type { HeldAnswer } from '../../lib/core/port/lock-node.js';
import { Claim } from '../../lib/core/port/claim.js';
import type { ContractSuite } from './contract-suite.js';

export function describeAcquire(suite: ContractSuite): void {
  it('grants what is free, and keeps the value for the ttl', async () => {
    const a = suite.fresh();
    const claim = suite.claimOf(a);
    expect(await suite.acquire(claim, 60_000)).toMatchObject({ kind: 'granted' });
    expect(await suite.under.read(a)).toBe(claim.value);
    expect(await suite.left(a)).toBeGreaterThan(30_000);
    expect(await suite.left(a)).toBeLessThanOrEqual(60_000);
  });

  it('answers with the ms left and the owner where it is held', async () => {
    const a = suite.fresh();
    await suite.under.plant(a, 'foreign', 60_000);
    const answer = await suite.acquire(suite.claimOf(a));
    expect(answer).toEqual({ kind: 'held', remaining: expect.any(Number), owner: 'foreign' });
    const { remaining } = answer as HeldAnswer;
    expect(remaining).toBeGreaterThan(30_000);
    expect(remaining).toBeLessThanOrEqual(60_000);
    expect(await suite.under.read(a)).toBe('foreign');
  });

  it('answers with Infinity where a foreign key never expires', async () => {
    const a = suite.fresh();
    await suite.under.plant(a, 'foreign');
    expect(await suite.acquire(suite.claimOf(a))).toEqual({ kind: 'held', remaining: Infinity, owner: 'foreign' });
  });

  it.each([1, 2])(
    'grants again what has the same value, for a fresh ttl that is no shorter: %i at once',
    async (count) => {
      const names = Array.from({ length: count }, () => suite.fresh());
      const claim = suite.claimOf(...names);
      const leftAfter = async (ttl: number): Promise<number[]> => {
        expect(await suite.acquire(claim, ttl)).toMatchObject({ kind: 'granted' });
        return Promise.all(names.map((name) => suite.left(name)));
      };
      for (const left of await leftAfter(100_000)) expect(left).toBeLessThanOrEqual(100_000);
      for (const left of await leftAfter(1_000_000)) expect(left).toBeGreaterThan(500_000);
      for (const left of await leftAfter(100_000)) expect(left).toBeGreaterThan(500_000);
    },
  );

  it.each(['before', 'behind'])('grants a waiter again what it has, no shorter, with others %s it', async (side) => {
    const a = suite.fresh();
    const holder = suite.claimOf(a);
    await suite.acquire(holder);
    const waiters = await suite.lineUp(a, ...(side === 'before' ? [1, 2] : [2, 1]));
    const [us] = waiters.sort((one, other) => one.claim.place!.arrived - other.claim.place!.arrived);
    await suite.release(holder);
    expect(await suite.acquire(us!.claim, 1_000_000)).toMatchObject({ kind: 'granted' });
    expect(await suite.acquire(us!.claim, 100_000)).toMatchObject({ kind: 'granted' });
    expect(await suite.left(a)).toBeGreaterThan(500_000);
  });

  it('takes several resources, or none', async () => {
    const [a, b, c] = [suite.fresh(), suite.fresh(), suite.fresh()];
    await suite.under.plant(b, 'foreign', 60_000);
    expect((await suite.acquire(suite.claimOf(a, b, c))).kind).toBe('held');
    expect(await suite.read(a, b, c)).toEqual([undefined, 'foreign', undefined]);
    const claim = suite.claimOf(a, c);
    expect(await suite.acquire(claim)).toMatchObject({ kind: 'granted' });
    expect(await suite.read(a, c)).toEqual([claim.value, claim.value]);
  });

  it('completes what it has in part', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    const claim = suite.claimOf(a, b);
    await suite.under.plant(a, claim.value, 60_000);
    expect(await suite.acquire(claim)).toMatchObject({ kind: 'granted' });
    expect(await suite.under.read(b)).toBe(claim.value);
  });

  it.each([
    [[100_000, 900_000, 500_000], 1],
    [[900_000, undefined, 500_000], 1],
    [[undefined, 900_000], 0],
  ])('names the one of several holders that stays longest: %j', async (ttls, longest) => {
    const names = ttls.map(() => suite.fresh());
    for (const [index, ttl] of ttls.entries()) await suite.under.plant(names[index]!, `holder-${index}`, ttl);
    expect(await suite.acquire(suite.claimOf(...names))).toMatchObject({ kind: 'held', owner: `holder-${longest}` });
  });

  it('names the first of several holders that stay for ever', async () => {
    const [a, b, c] = [suite.fresh(), suite.fresh(), suite.fresh()];
    await suite.under.plant(a, 'one', 60_000);
    await suite.under.plant(b, 'two');
    await suite.under.plant(c, 'three');
    expect(await suite.acquire(suite.claimOf(a, b, c))).toMatchObject({ remaining: Infinity, owner: 'two' });
  });

  it('of all resources of a lock finds a part of it in a line, and tells that it was served', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    await suite.under.plant(a, 'foreign', 30);
    const [part] = await suite.lineUp(a, 1);
    await suite.under.pass(40);
    const whole = new Claim([a, b], part!.claim.value);
    expect(await suite.acquire(whole)).toMatchObject({ kind: 'granted' });
    await part!.told();
    expect(await suite.read(a, b)).toEqual([whole.value, whole.value]);
  });

  it('of all resources of a lock leaves a part of it what it was served, where another one is held', async () => {
    const [a, b] = [suite.fresh(), suite.fresh()];
    await suite.under.plant(a, 'foreign', 30);
    await suite.under.plant(b, 'foreign');
    const [part] = await suite.lineUp(a, 1);
    await suite.under.pass(40);
    expect(await suite.acquire(new Claim([a, b], part!.claim.value))).toMatchObject({ kind: 'held', owner: 'foreign' });
    await part!.told();
    expect(await suite.read(a, b)).toEqual([part!.claim.value, 'foreign']);
  });

  it('grants what has expired', async () => {
    const a = suite.fresh();
    await suite.acquire(suite.claimOf(a), 30);
    await suite.under.pass(40);
    expect(await suite.under.read(a)).toBeUndefined();
    expect(await suite.acquire(suite.claimOf(a))).toMatchObject({ kind: 'granted' });
  });
}
