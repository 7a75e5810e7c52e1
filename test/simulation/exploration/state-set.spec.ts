import { describe, expect, it } from '@jest/globals';
import { StateSet } from './state-set.js';

describe('StateSet', () => {
  it('has every state once, in the order in which they came, with the one from which it was found first', () => {
    const set = new StateSet(2);
    const count = 20_000;
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < count; index += 1)
        set.add(Uint32Array.of(index % 100, Math.floor(index / 100)), index - 1 + round);
    }
    expect(set.size).toBe(count);
    for (let index = 0; index < count; index += 1) {
      if (set.at(index).join() !== `${index % 100},${Math.floor(index / 100)}`)
        throw new Error(`${index} is another one`);
      if (set.originOf(index) !== index - 1) throw new Error(`${index} comes from another one`);
    }
  });
});
