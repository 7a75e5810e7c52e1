import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ACQUIRE, EXTEND, RELEASE, SCRIPTS } from '../../../lib/redis/scripts.js';

describe('SCRIPTS', () => {
  it('are called by the hash of their own text', () => {
    for (const { lua, sha } of SCRIPTS) expect(sha).toBe(createHash('sha1').update(lua).digest('hex'));
  });

  it('are all of those that the node calls', () => {
    expect(SCRIPTS).toEqual([ACQUIRE, EXTEND, RELEASE]);
  });

  it('touch no key but those they are given', () => {
    for (const { lua } of SCRIPTS) expect(lua).not.toMatch(/redis\.call\('\w+', '/);
  });
});
