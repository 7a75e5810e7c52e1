import { describe, expect, it } from '@jest/globals';
import { Tidying } from '../../../../lib/core/collections/tidying.js';

describe('Tidying', () => {
  it('is due whenever there is twice as much as was left, and not before there is much', () => {
    const tidying = new Tidying();
    const entries = new Set<number>();
    const sizes: number[] = [];
    for (let index = 0; index < 4_000; index += 1) {
      entries.add(index);
      tidying.check(entries, () => sizes.push(entries.size));
    }
    expect(sizes).toEqual([1_000, 2_000, 4_000]);
  });
});
