import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RedlockStatus } from '../../../lib/engine/status.js';
import { QuarantineLog } from '../../../lib/logging/quarantine-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const NODES = ['a', 'b', 'c', 'd', 'e'];
const REASON = 'it is new, or was restarted';
/** By the wall clock of the test, in the zone of the machine. */
const timeIn = (ms: number): string => new Date(1_700_000_000_000 + ms).toTimeString().slice(0, 8);

describe('what the log says of nodes that are out of the vote', () => {
  let clock: VirtualClock;
  let lines: string[];
  let log: QuarantineLog;
  /** The nodes that vote when they are asked. */
  let voting: string[];
  let asked: number;
  const logOf = (nodes: readonly string[]): QuarantineLog => {
    const status = async (): Promise<RedlockStatus> => {
      asked += 1;
      const reason = 'connection refused';
      const found = nodes.map((node) => ({ node, up: true, votes: voting.includes(node), reason }));
      const quorum = Math.floor(nodes.length / 2) + 1;
      return { nodes: found, quorum, quorumReachable: voting.length >= quorum };
    };
    const note = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
    return new QuarantineLog({ log: note('log'), warn: note('warn') }, clock, nodes.length, status);
  };
  const out = (nodes: readonly string[], remaining: number): void => {
    for (const node of nodes) log.quarantined({ type: 'node-quarantined', node, remaining, reason: REASON });
  };

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    voting = [];
    asked = 0;
    log = logOf(NODES);
  });

  it('is one line where there are no locks because of them, with the end of it, and one when there are', async () => {
    out(NODES, 30_000);
    await clock.advance(29_999);
    expect(lines).toEqual([
      `warn: No locks for 30 s, until ${timeIn(30_000)}: 5 of 5 nodes are in quarantine (new, restarted, emptied or restored, or ` +
        'their clocks were changed), since they may have forgotten locks. This is expected at a first start; in development set restartQuarantine: false. [REDLOCK_W06]',
    ]);
    voting = NODES;
    await clock.advance(10);
    // In the answers by which it is seen.
    for (const node of NODES) log.back(node);
    await clock.advance(60_000);
    expect(lines.slice(1)).toEqual(['log: Locks are possible: 5 of 5 nodes vote.']);
    expect(clock.timers).toBe(0);
  });

  it('comes in time also when no caller asks for a lock, and once when many do', async () => {
    out(NODES, 2_000);
    voting = NODES;
    await clock.advance(1_999);
    expect(asked).toBe(0);
    await clock.advance(1);
    expect([asked, lines.length]).toEqual([1, 2]);
  });

  it('waits a moment for those that were started a little later', async () => {
    for (const [index, node] of NODES.entries()) out([node], 2_000 + 100 * index);
    voting = NODES.slice(0, 3);
    await clock.advance(2_200);
    for (const node of voting) log.back(node);
    expect(lines).toHaveLength(1);
    await clock.advance(199);
    voting = NODES;
    await clock.advance(1);
    expect(lines.slice(1)).toEqual(['log: Locks are possible: 5 of 5 nodes vote.']);
    for (const node of NODES.slice(3)) log.back(node);
    expect(lines).toHaveLength(2);
  });

  it('names the nodes that are out unless all are, and gives a hint only the first time', async () => {
    for (const round of [0, 1]) {
      out(['b', 'c', 'd'], 5_000);
      await clock.advance(600);
      voting = NODES;
      for (const node of ['b', 'c', 'd']) log.back(node);
      await clock.advance(10_000);
      expect(lines.length).toBe(2 * round + 2);
    }
    expect(lines[0]).toMatch(/: 3 of 5 nodes \(b, c, d\) are in quarantine.*This is expected at a first start/);
    expect(lines[2]).toMatch(
      /: 3 of 5 nodes \(b, c, d\) are in quarantine.*may have forgotten locks\. \[REDLOCK_W06\]$/,
    );
  });

  it('says when a quorum votes, and not when the first or the last of them does', async () => {
    [3_000, 10_000, 7_000, 30_000, 2_000].forEach((remaining, index) => out([NODES[index]!], remaining));
    await clock.advance(500);
    expect(lines).toEqual([expect.stringMatching(`No locks for 7 s, until ${timeIn(7_000)}: 5 of 5`)]);
    voting = ['a', 'e'];
    for (const node of voting) log.back(node);
    await clock.advance(6_499);
    voting = ['a', 'c', 'e'];
    expect(lines).toHaveLength(1);
    await clock.advance(1);
    expect(lines.slice(1)).toEqual(['log: Locks are possible: 3 of 5 nodes vote.']);
    log.back('b');
    expect(lines.slice(2)).toEqual(['log: b votes again']);
  });

  it('is one line each, and one when they are back, where the others are a quorum', async () => {
    out(['a'], 30_000);
    await clock.advance(500);
    out(['b'], 20_000);
    await clock.advance(500);
    expect(lines).toEqual([
      `warn: a does not vote for 30000 ms: ${REASON} [REDLOCK_W05]`,
      `warn: b does not vote for 20000 ms: ${REASON} [REDLOCK_W05]`,
    ]);
    log.back('b');
    log.back('a');
    expect(lines.slice(2)).toEqual(['log: b votes again', 'log: a votes again']);
    expect([clock.timers, asked]).toEqual([0, 0]);
  });

  it('comes in order where one is back before anything was said', async () => {
    out(['a'], 100);
    await clock.advance(100);
    log.back('a');
    expect(lines).toEqual([`warn: a does not vote for 100 ms: ${REASON} [REDLOCK_W05]`, 'log: a votes again']);
  });

  it('says so where a majority is out only later, and where it lasts longer than was said', async () => {
    out(['a', 'b'], 30_000);
    await clock.advance(1_000);
    out(['c'], 30_000);
    await clock.advance(1_000);
    expect(lines.slice(2)).toEqual([expect.stringMatching(/No locks for 29 s, .*3 of 5 nodes \(a, b, c\)/)]);
    out(['d'], 30_000);
    await clock.advance(1_000);
    expect(lines).toHaveLength(3);
    out(['a', 'b', 'c'], 30_000);
    await clock.advance(1_000);
    expect(lines.slice(3)).toEqual([expect.stringMatching(/No locks for 30 s/)]);
  });

  it('waits for those that are due and do not vote yet, because they are down', async () => {
    out(NODES, 2_000);
    voting = ['a', 'b'];
    await clock.advance(10_000);
    expect(lines.slice(1)).toEqual([
      'warn: Still no locks: 2 of 5 nodes vote, 3 needed; c: connection refused; d: connection refused; e: connection refused [REDLOCK_W07]',
    ]);
    voting = ['a', 'b', 'd'];
    await clock.advance(1_000);
    expect(lines.slice(2)).toEqual(['log: Locks are possible: 3 of 5 nodes vote.']);
    expect(clock.timers).toBe(0);
  });

  it('tells whether there are no locks because of them', async () => {
    out(['a', 'b'], 2_000);
    expect(log.isClosed).toBe(false);
    out(['c'], 2_000);
    expect(log.isClosed).toBe(true);
    await clock.advance(2_500);
    expect(log.isClosed).toBe(true);
    voting = NODES;
    await clock.advance(1_000);
    expect(log.isClosed).toBe(false);
  });

  it('tells whether something is to be said of them', async () => {
    expect(log.isGathering).toBe(false);
    out(['a'], 2_000);
    expect(log.isGathering).toBe(true);
    await clock.advance(500);
    expect(log.isGathering).toBe(false);
  });

  it('is nothing once it is stopped', async () => {
    out(NODES, 2_000);
    await clock.advance(100);
    log.stop();
    out(NODES, 2_000);
    log.back('a');
    await clock.advance(10_000);
    expect([lines, clock.timers]).toEqual([[], 0]);
  });
});
