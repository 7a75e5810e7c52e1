import { beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../../lib/core/port/single-call.js';
import { Claim } from '../../../../lib/core/port/claim.js';
import type { NodeEvent, ProbeAnswer } from '../../../../lib/core/port/lock-node.js';
import { FaultyNode } from '../../../../lib/testing/nodes/faulty-node.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const MAX_TTL = 1_000;
const BROKEN = { kind: 'unknown', reason: 'connection closed', sent: true };

describe('FaultyNode, restarted,', () => {
  let clock: VirtualClock;
  let node: FaultyNode;
  let events: NodeEvent[];
  /** What was answered, in order. */
  let answers: unknown[];
  const claim = new Claim(['a'], 'ours');
  const other = new Claim(['a'], 'theirs');

  const note = (answer: unknown): void => void answers.push(answer);
  const kinds = (): unknown[] => answers.map((answer) => (answer as { kind: string }).kind);
  const acquire = (asked = claim): void => node.acquire(new SingleCall(asked, 500, note), 0);
  const settle = (): Promise<void> => clock.advance(0);

  beforeEach(async () => {
    clock = new VirtualClock();
    node = new FaultyNode('node', clock, { maxTtl: MAX_TTL, restartQuarantine: false });
    [events, answers] = [[], []];
    await node.open((event) => events.push(event));
  });

  const probed = (): Promise<ProbeAnswer> => new Promise((resolve) => node.probe(resolve));

  it('comes back empty, as another run, and tells of both', async () => {
    const { runId } = node;
    acquire();
    await settle();
    node.restart();
    expect([node.valueOf('a'), node.resources, node.runId === runId]).toEqual([undefined, [], false]);
    expect(events.map(({ type }) => type)).toEqual(['node-down', 'node-up']);
    expect(await probed()).toEqual({ kind: 'up' });
  });

  it('comes back with what it had where it is told to', async () => {
    acquire();
    await settle();
    node.restart({ keep: true });
    expect([node.valueOf('a'), node.resources]).toEqual(['ours', ['a']]);
    expect(await probed()).toEqual({ kind: 'up' });
  });

  it.each([true, false])('stays out of the vote for maxTtl where it is told to (keep: %p)', async (keep) => {
    node.restart({ keep, quarantine: true });
    expect(events.at(-1)).toMatchObject({ type: 'node-quarantined', remaining: MAX_TTL });
    acquire();
    await clock.advance(MAX_TTL - 1);
    acquire();
    await clock.advance(1);
    acquire();
    await settle();
    expect(answers).toEqual([
      { kind: 'quarantined', remaining: MAX_TTL },
      { kind: 'quarantined', remaining: 1 },
      { kind: 'granted', fence: expect.any(Number), oldest: Infinity },
    ]);
  });

  it('votes again at once after a further restart without quarantine', async () => {
    node.restart({ quarantine: true });
    node.restart({ keep: true, quarantine: false });
    expect(await probed()).toEqual({ kind: 'up' });
  });

  it('has lost what was on its way, and no fault any more', async () => {
    node.freeze();
    acquire();
    node.restart();
    await settle();
    expect(answers).toEqual([BROKEN]);
    acquire(other);
    await settle();
    expect(node.valueOf('a')).toBe('theirs');
  });

  it('stays out of the vote from the start where new nodes do', async () => {
    node = new FaultyNode('node', clock, { maxTtl: MAX_TTL, restartQuarantine: true });
    await node.open(() => undefined);
    acquire();
    await clock.advance(MAX_TTL);
    acquire();
    await settle();
    expect(kinds()).toEqual(['quarantined', 'granted']);
  });
});
