import { beforeEach, describe, expect, it } from '@jest/globals';
import { QuorumLog } from '../../../lib/logging/quorum-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const LOST = { type: 'quorum-lost', votes: 2, nodes: 5, quorum: 3 } as const;
const REACHED = { type: 'quorum-reached', votes: 3, nodes: 5, quorum: 3 } as const;
const [NONE, AGAIN] = [
  'error: No quorum: 2 of 5 nodes vote, 3 needed, so there are no locks [REDLOCK_W07]',
  'log: Locks are possible again: 3 of 5 nodes vote',
];

describe('what the log says of the quorum', () => {
  let clock: VirtualClock;
  let lines: string[];
  let quarantine: { isClosed: boolean; isGathering: boolean };
  let log: QuorumLog;

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    quarantine = { isClosed: false, isGathering: false };
    const note = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
    log = new QuorumLog({ log: note('log'), error: note('error') }, clock, quarantine);
  });

  it('is a line when there is none, and one when there is one again', async () => {
    log.lost(LOST);
    expect(lines).toEqual([NONE]);
    await clock.advance(10_000);
    log.reached(REACHED);
    await clock.advance(500);
    log.lost(LOST);
    expect([lines, clock.timers]).toEqual([[NONE, AGAIN, NONE], 0]);
  });

  it('is no news where it is gone again at once', async () => {
    log.lost(LOST);
    log.reached(REACHED);
    await clock.advance(499);
    log.lost(LOST);
    await clock.advance(10_000);
    expect([lines, clock.timers]).toEqual([[NONE], 0]);
  });

  it('is nothing where the quarantine says it', async () => {
    quarantine.isClosed = true;
    log.lost(LOST);
    log.reached(REACHED);
    await clock.advance(1_000);
    quarantine.isClosed = false;
    log.reached(REACHED);
    await clock.advance(1_000);
    expect([lines, clock.timers]).toEqual([[], 0]);
  });

  it('leaves it to the quarantine to say that there is one, where that came later', async () => {
    log.lost(LOST);
    quarantine.isClosed = true;
    log.reached(REACHED);
    await clock.advance(1_000);
    expect(lines).toEqual([NONE]);
    quarantine.isClosed = false;
    log.lost(LOST);
    expect(lines).toEqual([NONE, NONE]);
  });

  it('is nothing where it is known a moment later that the quarantine is the reason', async () => {
    quarantine.isGathering = true;
    log.lost(LOST);
    quarantine.isClosed = true;
    await clock.advance(1_000);
    log.reached(REACHED);
    quarantine.isClosed = false;
    await clock.advance(1_000);
    expect([lines, clock.timers]).toEqual([[], 0]);
  });

  it('comes a moment later where the quarantine could have been the reason, and is not', async () => {
    quarantine.isGathering = true;
    log.lost(LOST);
    expect(lines).toEqual([]);
    await clock.advance(500);
    expect(lines).toEqual([NONE]);
    log.reached(REACHED);
    log.lost(LOST);
    log.reached(REACHED);
    await clock.advance(500);
    expect(lines).toEqual([NONE, AGAIN]);
  });

  it('leaves it to the quarantine to say that there is one, where that says it at once', async () => {
    log.lost(LOST);
    quarantine.isClosed = true;
    log.reached(REACHED);
    // It has said so.
    quarantine.isClosed = false;
    await clock.advance(1_000);
    expect([lines, clock.timers]).toEqual([[NONE], 0]);
  });

  it('is nothing once it is stopped', async () => {
    log.lost(LOST);
    log.reached(REACHED);
    log.stop();
    await clock.advance(1_000);
    expect([lines, clock.timers]).toEqual([[NONE], 0]);
  });
});
