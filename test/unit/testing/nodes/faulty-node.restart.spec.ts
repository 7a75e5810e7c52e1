import { beforeEach, describe, expect, it } from '@jest/globals';
import { BROKEN, MAX_TTL, NodeCaller } from '../../../support/node-caller.js';

describe('FaultyNode, restarted,', () => {
  let caller: NodeCaller;

  beforeEach(async () => {
    caller = await NodeCaller.open();
  });

  it('comes back empty, as another run, and tells of both', async () => {
    const { runId } = caller.node;
    caller.acquire();
    await caller.settle();
    caller.node.restart();
    expect([caller.node.valueOf('a'), caller.node.resources, caller.node.runId === runId]).toEqual([
      undefined,
      [],
      false,
    ]);
    expect(caller.events.map(({ type }) => type)).toEqual(['node-down', 'node-up']);
    expect(await caller.probed()).toEqual({ kind: 'up' });
  });

  it('comes back with what it had where it is told to', async () => {
    caller.acquire();
    await caller.settle();
    caller.node.restart({ keep: true });
    expect([caller.node.valueOf('a'), caller.node.resources]).toEqual(['ours', ['a']]);
    expect(await caller.probed()).toEqual({ kind: 'up' });
  });

  it.each([true, false])('stays out of the vote for maxTtl where it is told to (keep: %p)', async (keep) => {
    caller.node.restart({ keep, quarantine: true });
    expect(caller.events.at(-1)).toMatchObject({ type: 'node-quarantined', remaining: MAX_TTL });
    caller.acquire();
    await caller.clock.advance(MAX_TTL - 1);
    caller.acquire();
    await caller.clock.advance(1);
    caller.acquire();
    await caller.settle();
    expect(caller.answers).toEqual([
      { kind: 'quarantined', remaining: MAX_TTL },
      { kind: 'quarantined', remaining: 1 },
      { kind: 'granted', fence: expect.any(Number), oldest: Infinity },
    ]);
  });

  it('votes again at once after a further restart without quarantine', async () => {
    caller.node.restart({ quarantine: true });
    caller.node.restart({ keep: true, quarantine: false });
    expect(await caller.probed()).toEqual({ kind: 'up' });
  });

  it('has lost what was on its way, and no fault any more', async () => {
    caller.node.freeze();
    caller.acquire();
    caller.node.restart();
    await caller.settle();
    expect(caller.answers).toEqual([BROKEN]);
    caller.acquire(caller.other);
    await caller.settle();
    expect(caller.node.valueOf('a')).toBe('theirs');
  });

  it('stays out of the vote from the start where new nodes do', async () => {
    caller = await NodeCaller.open({ restartQuarantine: true });
    caller.acquire();
    await caller.clock.advance(MAX_TTL);
    caller.acquire();
    await caller.settle();
    expect(caller.kinds).toEqual(['quarantined', 'granted']);
  });
});
