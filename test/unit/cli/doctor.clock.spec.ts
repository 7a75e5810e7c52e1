import { describe, expect, it } from '@jest/globals';
import type { CheckedPool } from '../../../lib/cli/doctor/check.js';
import { NODE_CHECKS } from '../../../lib/cli/doctor/nodes.js';

/** What is found where the clock of a node is off by so many ms. */
async function found(clockOffset: number | undefined, noted?: number, maxTtl?: number) {
  const marker = noted === undefined ? undefined : { run: 'a', since: 1, longest: noted };
  const node = { session: { name: 'node', marker }, report: { clockOffset } };
  const clock = NODE_CHECKS.find(({ name }) => name === 'clock')!;
  const [finding] = await clock.find({ nodes: [node], settings: { maxTtl } } as unknown as CheckedPool);
  return finding && { severity: finding.severity, what: finding.what };
}

describe('the check of clocks', () => {
  it.each([
    [undefined, undefined],
    [7_500, undefined],
    [-7_500, undefined],
    [7_501, 'warning'],
    [-15_000, 'warning'],
    [15_001, 'error'],
    [-15_001, 'error'],
  ])('finds %s ms to be %s, where leases last for 30 s at most', async (offset, severity) => {
    expect((await found(offset))?.severity).toBe(severity);
  });

  it('goes by the longest lease that clients have noted, or that it is told', async () => {
    expect(await found(3_000, 10_000)).toEqual({
      severity: 'warning',
      what: 'its clock is 3000 ms ahead of that of this machine',
    });
    expect((await found(-3_000, 10_000, 4_000))?.severity).toBe('error');
  });
});
