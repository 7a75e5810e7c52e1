import { describe, expect, it } from '@jest/globals';
import { LONGEST_SILENCE_IN_LINE } from '../../../../lib/core/port/claim.js';
import { BATCH_VERBS } from '../../../../lib/redis/scripts/batch-verbs.js';
import { LINE_KEPT, LINES_AND_FENCES } from '../../../../lib/redis/scripts/line-script.js';
import { TRUST_CHECK } from '../../../../lib/redis/scripts/trust-script.js';

/** The text of one of its functions. */
const textOf = (name: string): string =>
  new RegExp(`local function ${name}\\(.*?\\nend\\n`, 's').exec(LINES_AND_FENCES)?.[0] ?? '';

describe('LINES_AND_FENCES', () => {
  it('is a part of what the batch script does', () => {
    expect(BATCH_VERBS).toContain(LINES_AND_FENCES);
  });

  it('has no hole that was to be filled in', () => {
    expect(LINES_AND_FENCES).not.toMatch(/\$\{|undefined|NaN/);
  });

  it('keeps a line for longer than its waiters take to show that they live', () => {
    expect(LINE_KEPT).toBeGreaterThan(LONGEST_SILENCE_IN_LINE);
    expect(textOf('stand')).toContain(`call('PEXPIRE', key .. line_suffix, '${LINE_KEPT}')`);
  });

  it('serves no waiter before the node was asked whether it votes', () => {
    const serve = textOf('serve');
    expect(serve.indexOf(TRUST_CHECK)).toBeGreaterThan(0);
    expect(serve.indexOf(TRUST_CHECK)).toBeLessThan(serve.indexOf('ZPOPMIN'));
    expect(serve).toContain('while somebody_waits and not quarantine do');
  });

  it('writes fence counters with all their digits', () => {
    expect(textOf('count_fence')).toContain("format('%.0f', fence)");
  });
});
