import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { LockLostError } from '../../../lib/engine/errors.js';
import type { LockEvent } from '../../../lib/engine/events.js';
import { EventLog } from '../../../lib/logging/event-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const up = (node: string): LockEvent => ({ type: 'node-up', node });
const down = (node: string): LockEvent => ({ type: 'node-down', node, reason: 'connection closed' });
const lost = (index: number): LockEvent => {
  const resources = [`job:${index}`];
  return { type: 'lost', resources, fencingToken: index, error: new LockLostError(resources, 'nodes', 'no quorum') };
};
const LOST = 'error The lock on "job:*" was lost: no quorum [REDLOCK_W08]';
const DOWN = 'warn a is down: connection closed [REDLOCK_W01]';

describe('the log of what comes often', () => {
  let clock: VirtualClock;
  let lines: string[];
  let log: EventLog;

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    const on = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
    const logger = Object.assign(new Logger('test'), { log: on('log'), warn: on('warn'), error: on('error') });
    log = new EventLog(logger, { clock, nodes: 3, status: () => Promise.reject(new Error('nobody answers')) });
  });

  /** Tells these in turn, one every so many ms, for so long. */
  const flap = async (events: readonly LockEvent[], { every, during }: { every: number; during: number }) => {
    for (let at = 0; at < during; at += every) {
      log.notify(events[(at / every) % events.length]!);
      await clock.advance(every);
    }
  };
  /** How many changes the lines tell of. */
  const told = (): number => lines.reduce((sum, line) => sum + Number(/last of (\d+) more/.exec(line)?.[1] ?? 1), 0);

  it('has one line for each change of a usual outage, at once', async () => {
    for (const pause of [300, 1_000, 30_000]) {
      log.notify(down('a'));
      await clock.advance(pause);
      log.notify(up('a'));
      await clock.advance(60_000);
    }
    expect(lines).toEqual([1, 2, 3].flatMap(() => [DOWN, 'log a is up']));
    expect(clock.timers).toBe(0);
  });

  it('has few lines where it does so twice a second for 20 s, and they say how often', async () => {
    await flap([down('a'), up('a')], { every: 250, during: 20_000 });
    await clock.advance(60_000);
    expect(lines).toEqual([
      DOWN,
      'log a is up',
      DOWN,
      'log a is up',
      expect.stringMatching(
        /^(log|warn) a is (up|down: connection closed \[REDLOCK_W01\]) \(the last of \d+ more within 10 s\)$/,
      ),
      expect.stringMatching(/^log a is up \(the last of \d+ more within 10 s\)$/),
    ]);
    expect(told()).toBe(80);
    expect(clock.timers).toBe(0);
  });

  it('has the last state as its last line', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 1_900 });
    await clock.advance(10_000);
    expect(lines.at(-1)).toBe(`${DOWN} (the last of 15 more within 10 s)`);
  });

  it('tells each change again once it has been quiet', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 1_000 });
    await clock.advance(30_000);
    lines.length = 0;
    log.notify(down('a'));
    expect(lines).toEqual([DOWN]);
  });

  it('says nothing less of the other nodes', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 2_000 });
    log.notify(down('b'));
    expect(lines.at(-1)).toBe('warn b is down: connection closed [REDLOCK_W01]');
  });

  it('has few lines too where it refuses its votes and gives them in turn', async () => {
    const refused: LockEvent = { type: 'node-refused', node: 'a', reason: 'OOM' };
    await flap([refused, { type: 'node-accepted', node: 'a' }], { every: 500, during: 20_000 });
    await clock.advance(60_000);
    expect(lines.length).toBeLessThanOrEqual(7);
    expect(told()).toBe(40);
  });

  it('has few lines too where that takes the quorum and brings it back', async () => {
    const votes = { votes: 1, nodes: 3, quorum: 2 };
    await flap(
      [
        { type: 'quorum-lost', ...votes },
        { type: 'quorum-reached', ...votes, votes: 2 },
      ],
      {
        every: 600,
        during: 24_000,
      },
    );
    await clock.advance(60_000);
    expect(lines.length).toBeLessThanOrEqual(8);
    expect(told()).toBe(40);
  });

  it('is complete at the end of the application, and leaves no timer', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 1_000 });
    log.stop();
    expect(lines.at(-1)).toBe('log a is up (the last of 6 more within 10 s)');
    await flap([down('a'), up('a')], { every: 100, during: 1_000 });
    expect(clock.timers).toBe(0);
  });

  it('has two lines of a burst of losses: the first one at once, and the number of the others soon', async () => {
    for (let index = 0; index < 1_000; index += 1) log.notify(lost(index));
    expect(lines).toEqual([LOST]);
    await clock.advance(5_000);
    expect(lines).toEqual([LOST, `${LOST} (the last of 999 more within 5 s)`]);
    await clock.advance(60_000);
    expect([lines.length, clock.timers]).toEqual([2, 0]);
  });

  it('has one line every five seconds while losses go on, and counts each of them', async () => {
    for (let second = 0; second < 60; second += 1) {
      for (let index = 0; index < 10; index += 1) log.notify(lost(index));
      await clock.advance(1_000);
    }
    await clock.advance(5_000);
    expect(lines.length).toBeLessThanOrEqual(14);
    expect(told()).toBe(600);
  });

  it('has two lines and no timer of all that the end itself takes away', () => {
    log.stop();
    for (let index = 0; index < 500; index += 1) log.notify(lost(index));
    expect([lines, clock.timers]).toEqual([[LOST], 0]);
    log.stop();
    log.stop();
    expect(lines).toEqual([LOST, `${LOST} (the last of 499 more within 5 s)`]);
  });

  it('has a line a minute of a call that waits for its own caller, and few of very many resources', async () => {
    const nested = (name: string): LockEvent => ({ type: 'self-contended', resources: [name], holding: [name] });
    for (let call = 0; call < 100; call += 1) log.notify(nested('a'));
    expect(lines).toEqual([expect.stringMatching(/Take the lock once, or set reentrant: true/)]);
    for (let call = 0; call < 1_000; call += 1) log.notify(nested(`a${call}`));
    expect(lines.length).toBeLessThanOrEqual(52);
    await clock.advance(60_000);
    expect(lines).toContainEqual(expect.stringContaining('"a" is already held'));
    expect(lines.at(-1)).toMatch(/\(the last of \d+ more within 60 s\)$/);
  });
});
