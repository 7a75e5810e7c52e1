import { describe, expect, it } from '@jest/globals';
import { KEY_FILTERS } from '../../../../lib/with-lock/key/key-template.js';

describe('KEY_FILTERS', () => {
  it.each([
    ['trim', ' \tA b\n', 'A b'],
    ['lower', 'A@B.c Ä', 'a@b.c ä'],
    ['upper', 'a@b.C ä', 'A@B.C Ä'],
    ['hash', 'a', 'ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs'],
  ])('%s turns %j into %j', (name, text, result) => {
    expect(KEY_FILTERS[name]!(text)).toBe(result);
  });

  it('hashes to the same short length, and differently for different texts', () => {
    const hashes = ['a', 'A', 'a ', 'ä', 'x'.repeat(10_000)].map((text) => KEY_FILTERS['hash']!(text));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(new Set(hashes.map(({ length }) => length))).toEqual(new Set([43]));
  });

  it('are these', () => {
    expect(Object.keys(KEY_FILTERS)).toEqual(['trim', 'lower', 'upper', 'hash']);
  });
});
