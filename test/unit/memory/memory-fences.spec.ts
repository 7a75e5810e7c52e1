import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOKENS_PER_VOTE } from '../../../lib/core/fencing.js';
import { MemoryFences } from '../../../lib/memory/memory-fences.js';

const MAX_TTL = 10_000;
/** Microseconds by which a proposal may be off. */
const FAR = 5_000_000;

describe('MemoryFences', () => {
  let wall: number;
  let fences: MemoryFences;
  const now = (): number => wall * 1_000;

  beforeEach(() => {
    wall = 1_700_000_000_000;
    fences = new MemoryFences(() => wall, MAX_TTL);
  });

  it('begin with what is proposed', () => {
    expect(fences.get('a')).toBeUndefined();
    expect(fences.mint(['a'], now() + 3)).toBe(now() + 3);
    expect(fences.get('a')).toBe(now() + 3);
  });

  it('are minted above all earlier ones', () => {
    const proposals = [0, 0, -2_000_000, 3.5 * TOKENS_PER_VOTE, TOKENS_PER_VOTE];
    const minted = proposals.map((ahead) => fences.mint(['a'], now() + ahead));
    expect(minted).toEqual([0, 1, 2, 3.5, 4.5].map((votes) => now() + votes * TOKENS_PER_VOTE));
  });

  it('of several resources are minted above each of them, and meet', () => {
    fences.mint(['a'], now() + 50);
    fences.mint(['b'], now() + 20);
    expect(fences.mint(['a', 'b', 'c'], now())).toBe(now() + 50 + TOKENS_PER_VOTE);
    expect(['a', 'b', 'c'].map((resource) => fences.get(resource))).toEqual(
      Array(3).fill(now() + 50 + TOKENS_PER_VOTE),
    );
  });

  it.each([
    ['ahead of', 1],
    ['behind', -1],
  ])('tell a clock that is more than half of maxTtl %s ours, and by how many ms', (_, side) => {
    expect(fences.apart(now() + side * FAR)).toBe(0);
    expect(fences.apart(now() + side * (FAR + 1_000))).toBe(5_001);
    expect(fences.apart(now() + side * 1e15)).toBe(1e12);
  });

  it('ask nothing of the clock of somebody who proposes nothing', () => {
    expect(fences.apart(0)).toBe(0);
  });

  it('count on for whoever is next in line', () => {
    fences.mint(['a'], now());
    expect([fences.succeed('a'), fences.succeed('a')]).toEqual([1, 2].map((votes) => now() + votes * TOKENS_PER_VOTE));
    expect(fences.get('a')).toBe(now() + 2 * TOKENS_PER_VOTE);
  });

  it.each([
    ['where nothing was counted', () => undefined],
    ['where the count is old, as on an old disk', () => fences.raise('a', now() - 10 * FAR)],
  ])('take a recent time that nodes agree on for whoever is next, %s', (_, before) => {
    const step = FAR / 2;
    before();
    wall += 100;
    const fence = fences.succeed('a');
    expect(fence % step).toBe(0);
    expect(fence).toBeGreaterThanOrEqual(now() - FAR);
    expect(fence).toBeLessThan(now() - FAR + step);
    expect(fences.succeed('a')).toBe(fence + TOKENS_PER_VOTE);
  });

  it('are lifted to what is proposed, and not above what was counted', () => {
    fences.mint(['a'], now());
    fences.mint(['b'], now() + 7);
    expect(fences.lift(['a'], now())).toBe(now());
    expect(fences.lift(['a'], now() - 1)).toBe(now());
    expect(fences.lift(['a', 'b'], now() + 5)).toBe(now() + 7);
    expect(fences.get('a')).toBe(now() + 7);
  });

  it('are raised, and never lowered', () => {
    fences.raise('a', now());
    fences.raise('a', now() - 1);
    expect(fences.get('a')).toBe(now());
    fences.raise('a', now() + 1);
    expect(fences.get('a')).toBe(now() + 1);
  });

  it('last for ever', () => {
    fences.mint(['a'], now());
    wall += 1_000 * MAX_TTL;
    expect(fences.get('a')).toBe(now() - 1e6 * MAX_TTL);
  });

  it('are no more than 32,768, of which many resources share each', () => {
    for (let index = 0; index < 200_000; index += 1) fences.mint([`r${index}`], now());
    expect(fences.snapshot().size).toBeLessThanOrEqual(32_768);
    expect(fences.snapshot().size).toBeGreaterThan(32_000);
  });

  it('are restored as they were', () => {
    fences.mint(['a'], now());
    const before = fences.snapshot();
    fences.mint(['a'], now());
    fences.mint(['b'], now());
    fences.restore(before);
    expect([fences.get('a'), fences.get('b')]).toEqual([now(), undefined]);
    fences.mint(['a'], now());
    fences.restore(before);
    expect(fences.get('a')).toBe(now());
  });
});
