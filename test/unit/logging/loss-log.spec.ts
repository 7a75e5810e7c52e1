import { beforeEach, describe, expect, it } from '@jest/globals';
import { LockLostError } from '../../../lib/engine/errors.js';
import { shown } from '../../../lib/engine/names.js';
import { LossLog } from '../../../lib/logging/loss-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('the log of lost locks', () => {
  let clock: VirtualClock;
  let lines: string[];
  let log: LossLog;
  const lose = (count: number, reason = 'no quorum'): void => {
    for (let index = 1; index <= count; index += 1) log.lost(new LockLostError([`job:${index}`], 'nodes', reason));
  };
  const FIRST = 'The lock on "job:*" was lost: no quorum';

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    log = new LossLog({ error: (line: unknown) => void lines.push(String(line)) }, { clock, names: shown });
  });

  it('has a line of a single one at once, and none after it', async () => {
    lose(1);
    expect(lines).toEqual([FIRST]);
    await clock.advance(60_000);
    expect([lines, clock.timers]).toEqual([[FIRST], 0]);
  });

  it('has two lines of a burst: the first lock at once, and the number of the others soon', async () => {
    lose(1_000);
    expect(lines).toEqual([FIRST]);
    await clock.advance(5_000);
    expect(lines).toEqual([FIRST, '999 more locks were lost, the last of them on "job:*": no quorum']);
    await clock.advance(60_000);
    expect([lines.length, clock.timers]).toEqual([2, 0]);
  });

  it('has one line every five seconds while the losses go on, and counts each of them', async () => {
    for (let second = 0; second < 60; second += 1) {
      lose(10);
      await clock.advance(1_000);
    }
    await clock.advance(5_000);
    expect(lines.length).toBeLessThanOrEqual(14);
    const counted = lines.slice(1).map((line) => Number.parseInt(line, 10));
    expect(counted.reduce((sum, count) => sum + count, 1)).toBe(600);
  });

  it('has a line at once again after a while without losses', async () => {
    lose(2);
    await clock.advance(60_000);
    lose(1);
    expect(lines).toEqual([FIRST, '1 more lock was lost, on "job:*": no quorum', FIRST]);
  });

  it('says at the end what is pending, and leaves no timer', () => {
    lose(3);
    log.stop();
    expect([lines, clock.timers]).toEqual([
      [FIRST, '2 more locks were lost, the last of them on "job:*": no quorum'],
      0,
    ]);
  });

  it('has two lines and no timer of all that the end itself takes away', () => {
    log.stop();
    lose(500, 'the pool is closed');
    expect([lines.length, clock.timers]).toEqual([1, 0]);
    log.stop();
    expect(lines[1]).toBe('499 more locks were lost, the last of them on "job:*": the pool is closed');
    log.stop();
    expect(lines).toHaveLength(2);
  });
});
