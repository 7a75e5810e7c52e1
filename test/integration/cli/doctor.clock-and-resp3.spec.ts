import { describe, expect, it } from '@jest/globals';
import { ClockedServer } from '../../support/clock-shim.js';
import { foundOn, sickNodes } from '../../support/sick-nodes.js';
import { vouchFor } from '../../support/vouch.js';
import { describeWithClocks } from '../../support/with-clocks.js';

const nodes = sickNodes();

describe('nestjs-redlock doctor, about RESP3', () => {
  it('finds a node that does not speak RESP3', async () => {
    // No user can be forbidden to run HELLO.
    const server = await nodes.sick({ args: ['--rename-command', 'HELLO', ''] });
    const found = await nodes.examine(server);
    expect(foundOn(found, server)).toEqual(['RESP3: warning']);
    expect(found).toMatchObject({ code: 1, votes: 3, findings: [{ what: 'it does not speak RESP3' }] });
  });
});

describeWithClocks('nestjs-redlock doctor, about clocks', () => {
  it.each([
    ['ahead of', 10_000, 'warning', 3],
    ['behind', -10_000, 'warning', 3],
    ['ahead of', 20_000, 'error', 2],
    ['behind', -20_000, 'error', 2],
  ] as const)('finds a node whose clock is %s ours, by %d ms', async (side, ahead, severity, votes) => {
    const clocked = await ClockedServer.start();
    try {
      await clocked.step(ahead);
      await vouchFor(clocked.url, 30_000, 'lock:');
      const found = await nodes.examine(clocked, '--max-ttl', '30000');
      expect(foundOn(found, clocked)).toContain(`clock: ${severity}`);
      expect(found.findings.find(({ check }) => check === 'clock')!.what).toMatch(
        new RegExp(`^its clock is \\d+ ms ${side} that of this machine$`),
      );
      expect(found).toMatchObject({ code: 1, votes });
    } finally {
      await clocked.stop();
    }
  });
});
