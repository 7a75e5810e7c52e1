import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BATCH_SCRIPT, BATCH_SHA } from '../../../../lib/redis/scripts/batch-script.js';

describe('BATCH_SCRIPT', () => {
  it('is called by the hash of its own text', () => {
    expect(BATCH_SHA).toBe(createHash('sha1').update(BATCH_SCRIPT).digest('hex'));
  });

  it('touches no key but those it is given, and their lines', () => {
    const keyArguments = [...BATCH_SCRIPT.matchAll(/\b(?:p?call|try)\('[A-Z]+', ([^,)]+)/g)].map(([, key]) => key);
    expect(keyArguments.length).toBeGreaterThan(20);
    expect(new Set(keyArguments)).toEqual(
      new Set([
        "'server'",
        "'NUMSUB'",
        'key',
        'key .. line_suffix',
        'line',
        'KEYS[1]',
        'KEYS[2]',
        'KEYS[3]',
        'KEYS[at]',
        'KEYS[k]',
        'channel',
        'vote_key',
        'vote_keys[v]',
      ]),
    );
    expect(BATCH_SCRIPT).toContain('local line = key .. line_suffix\n');
    expect(BATCH_SCRIPT.match(/~\w+/g)).toEqual(['~waiters']);
  });

  it('has no hole that was to be filled in', () => {
    expect(BATCH_SCRIPT).not.toMatch(/KEEP|\$\{|undefined|NaN/);
  });

  it.each(['A', 'W', 'E', 'F', 'K', 'R', 'L', 'S', 'Y', 'a', 'e', 'f', 'k', 'r', 's'])('knows the verb %s', (verb) => {
    expect(BATCH_SCRIPT).toContain(`letter == '${verb}'`);
  });
});
