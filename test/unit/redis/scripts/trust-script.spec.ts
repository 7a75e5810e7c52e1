import { describe, expect, it } from '@jest/globals';
import { BATCH_SCRIPT } from '../../../../lib/redis/scripts/batch-script.js';
import { DISTRUST, TRUST_CHECK } from '../../../../lib/redis/scripts/trust-script.js';

const calls = (script: string): string[] =>
  [...script.matchAll(/\b(?:call|try)\('(\w+)'(?:, ([^,)]+))?/g)].map(([, name, key]) => `${name} ${key ?? ''}`.trim());

describe('TRUST_CHECK', () => {
  it('asks the node itself for its time and its run id, and touches nothing but the marker', () => {
    expect(calls(TRUST_CHECK)).toEqual(['TIME', "INFO 'server'", 'SET KEYS[2]']);
  });

  it('believes no run but that of the marker, and asks where that is another one', () => {
    expect(TRUST_CHECK).toMatch(
      /ARGV\[#ARGV\][^]*string\.find\(marker, run, 1, true\) == 1[^]*if not known then[^]*local info = try\('INFO', 'server'\)/,
    );
  });

  it('is a part of every batch, before the first operation', () => {
    expect(BATCH_SCRIPT).toContain(TRUST_CHECK);
    expect(BATCH_SCRIPT.indexOf(TRUST_CHECK)).toBeLessThan(BATCH_SCRIPT.indexOf('for i = 2, #verbs do'));
  });

  it('has no hole that was to be filled in', () => {
    expect(TRUST_CHECK + DISTRUST).not.toMatch(/\$\{|undefined|NaN/);
  });
});

describe('DISTRUST', () => {
  it('touches nothing but the marker', () => {
    expect(calls(DISTRUST)).toEqual(["INFO 'server'", 'TIME', 'GET KEYS[1]', 'SET KEYS[1]']);
  });

  it('writes the marker in the form in which it is read', () => {
    const [written] = /'%s\|%\.0f\|%d'/.exec(DISTRUST)!;
    expect(TRUST_CHECK).toContain(written);
  });
});
