import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOKENS_PER_VOTE } from '../../../lib/core/port/fencing.js';
import { MemoryFences } from '../../../lib/memory/memory-fences.js';

const MAX_TTL = 10_000;
/** Microseconds by which a proposal may be off. */
const FAR = 5_000_000;

describe('MemoryFences', () => {
  let wall: number;
  let fences: MemoryFences;
  const now = (): number => wall * 1_000;
  const mint = (resources: readonly string[], proposal: number, tokens = 1): number => {
    const first = fences.next(resources, proposal);
    fences.take({ resources, tokens }, first);
    return first;
  };
  const succeed = (resource: string, tokens = 1): number => {
    const first = fences.successor(resource);
    fences.take({ resources: [resource], tokens }, first);
    return first;
  };

  beforeEach(() => {
    wall = 1_700_000_000_000;
    fences = new MemoryFences(() => wall, MAX_TTL);
  });

  it('begin with what is proposed', () => {
    expect(fences.get('a')).toBeUndefined();
    expect(mint(['a'], now() + 3)).toBe(now() + 3);
    expect(fences.get('a')).toBe(now() + 3);
  });

  it.each([1, TOKENS_PER_VOTE])('are minted above all earlier ones, where each comes with %i', (tokens) => {
    const proposals = [0, 0, -2_000_000, 3.5 * tokens, tokens];
    const minted = proposals.map((ahead) => mint(['a'], now() + ahead, tokens));
    expect(minted).toEqual([0, 1, 2, 3.5, 4.5].map((votes) => now() + votes * tokens));
    expect(fences.get('a')).toBe(now() + 5.5 * tokens - 1);
  });

  it('of several resources are minted above each of them, and meet', () => {
    mint(['a'], now() + 50);
    mint(['b'], now() + 20);
    expect(mint(['a', 'b', 'c'], now())).toBe(now() + 51);
    expect(['a', 'b', 'c'].map((resource) => fences.get(resource))).toEqual(Array(3).fill(now() + 51));
  });

  it.each([
    ['ahead of', 1],
    ['behind', -1],
  ])('tell a clock that is more than half of maxTtl %s ours, and by how many ms', (_, side) => {
    expect(fences.apart(now() + side * FAR)).toBe(0);
    expect(fences.apart(now() + side * (FAR + 1_000))).toBe(5_001);
    expect(fences.apart(now() + side * 1e15)).toBe(1e12);
  });

  it('ignore the clock of a claim that proposes nothing', () => {
    expect(fences.apart(0)).toBe(0);
  });

  it('continue for the next waiter in line', () => {
    mint(['a'], now());
    expect([succeed('a', TOKENS_PER_VOTE), succeed('a'), succeed('a')]).toEqual(
      [1, 1 + TOKENS_PER_VOTE, 2 + TOKENS_PER_VOTE].map((after) => now() + after),
    );
  });

  it.each([
    ['where nothing was counted', () => undefined],
    ['where the count is old, as on an old disk', () => fences.raise('a', now() - 10 * FAR)],
  ])('take a recent time that nodes agree on for the next waiter, %s', (_, before) => {
    const step = FAR / 2;
    before();
    wall += 100;
    const fence = succeed('a');
    expect(fence % step).toBe(0);
    expect(fence).toBeGreaterThanOrEqual(now() - FAR);
    expect(fence).toBeLessThan(now() - FAR + step);
    expect(succeed('a')).toBe(fence + 1);
  });

  it('say to a holder what it was given, unless it proposes more', () => {
    mint(['a'], now(), TOKENS_PER_VOTE);
    const again = (ahead: number, tokens = TOKENS_PER_VOTE) =>
      fences.again({ resources: ['a'], tokens }, now() + ahead) - now();
    expect([again(0), again(-1), again(5), again(0, 1)]).toEqual([0, 0, 5, TOKENS_PER_VOTE - 1]);
    mint(['b'], now() + 7);
    expect(fences.again({ resources: ['b', 'c'], tokens: 1 }, now() + 5)).toBe(now() + 7);
  });

  it('tell a first token that is more than half of maxTtl ahead of the clock, and by how many ms', () => {
    expect([now() - FAR, now(), now() + FAR].map((first) => fences.ahead(first))).toEqual([0, 0, 0]);
    expect(fences.ahead(now() + FAR + 1_000)).toBe(5_001);
    wall += 1;
    expect(fences.ahead(now() + FAR)).toBe(0);
  });

  it('are raised, and never lowered', () => {
    fences.raise('a', now());
    fences.raise('a', now() - 1);
    expect(fences.get('a')).toBe(now());
    fences.raise('a', now() + 1);
    expect(fences.get('a')).toBe(now() + 1);
  });

  it('last for ever', () => {
    mint(['a'], now());
    wall += 1_000 * MAX_TTL;
    expect(fences.get('a')).toBe(now() - 1e6 * MAX_TTL);
  });

  it('are no more than 32,768, of which many resources share each', () => {
    for (let index = 0; index < 200_000; index += 1) mint([`r${index}`], now());
    expect(fences.snapshot().size).toBeLessThanOrEqual(32_768);
    expect(fences.snapshot().size).toBeGreaterThan(32_000);
  });

  it('are restored as they were', () => {
    mint(['a'], now());
    const before = fences.snapshot();
    mint(['a'], now());
    mint(['b'], now());
    fences.restore(before);
    expect([fences.get('a'), fences.get('b')]).toEqual([now(), undefined]);
    mint(['a'], now());
    fences.restore(before);
    expect(fences.get('a')).toBe(now());
  });
});
