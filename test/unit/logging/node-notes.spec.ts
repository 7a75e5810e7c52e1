import { beforeEach, describe, expect, it } from '@jest/globals';
import { NodeNotes } from '../../../lib/logging/node-notes.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const NODES = ['a', 'b', 'c'];
const EVICTS = ': it evicts keys [REDLOCK_W03]';
const FULL = ' refuses to vote: OOM [REDLOCK_W02]';
const REPLICA = ': it is a replica [REDLOCK_W03]';

describe('what the log says of single nodes', () => {
  let clock: VirtualClock;
  let lines: string[];
  let notes: NodeNotes;

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    notes = new NodeNotes({ warn: (line: unknown) => void lines.push(String(line)) }, clock, NODES.length);
  });

  it('is one line where it is the same for all of them', async () => {
    for (const node of NODES) notes.add(node, EVICTS);
    await clock.advance(499);
    expect(lines).toEqual([]);
    await clock.advance(1);
    expect([lines, clock.timers]).toEqual([[`each of the 3 nodes${EVICTS}`], 0]);
  });

  it('names the nodes that a note is about unless it is about all nodes', async () => {
    for (const node of ['a', 'c', 'a']) notes.add(node, FULL);
    notes.add('b', REPLICA);
    await clock.advance(500);
    expect(lines).toEqual([`each of a, c${FULL}`, `b${REPLICA}`]);
  });

  it('is said once, and again where it comes again', async () => {
    notes.add('a', EVICTS);
    await clock.advance(1_000);
    notes.add('b', EVICTS);
    await clock.advance(1_000);
    expect(lines).toEqual([`a${EVICTS}`, `b${EVICTS}`]);
  });

  it('is not lost at the end of the application, and nothing follows', () => {
    for (const node of NODES) notes.add(node, EVICTS);
    notes.stop();
    notes.add('a', REPLICA);
    expect([lines, clock.timers]).toEqual([[`each of the 3 nodes${EVICTS}`], 0]);
  });
});
