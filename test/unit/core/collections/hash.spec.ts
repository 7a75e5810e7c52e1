import { describe, expect, it } from '@jest/globals';
import { hashOf } from '../../../../lib/core/collections/hash.js';

describe('hashOf', () => {
  const folded = (hash: number): number => (hash ^ (hash >>> 15)) >>> 0;

  // Test vectors of FNV-1a, 32 bits (draft-eastlake-fnv).
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('is FNV-1a of "%s", folded', (text, hash) => {
    expect(hashOf(text) >>> 0).toBe(folded(hash));
  });

  it('is the same for texts that V8 keeps in different ways', () => {
    const whole = 'user:hans@example.com';
    const joined = ['user:hans', '@', 'example.com'].reduce((text, part) => text + part);
    const part = `some user:hans@example.com`.slice(5);
    expect([hashOf(joined), hashOf(part)]).toEqual([hashOf(whole), hashOf(whole)]);
  });

  it('looks at all that a character has', () => {
    expect(hashOf('\u0161')).not.toBe(hashOf('\u0061'));
  });
});
