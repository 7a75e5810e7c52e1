import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LockEvent } from '../../../lib/engine/events.js';
import { EventLog } from '../../../lib/logging/event-log.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const up = (node: string): LockEvent => ({ type: 'node-up', node });
const down = (node: string): LockEvent => ({ type: 'node-down', node, reason: 'connection closed' });

describe('the log of a node that goes up and down', () => {
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
  const told = (): number =>
    lines.reduce((sum, line) => sum + Number(/after (\d+) more change/.exec(line)?.[1] ?? 1), 0);

  it('has one line for each change of a usual outage, at once', async () => {
    for (const pause of [300, 1_000, 30_000]) {
      log.notify(down('a'));
      await clock.advance(pause);
      log.notify(up('a'));
      await clock.advance(60_000);
    }
    expect(lines).toEqual([1, 2, 3].flatMap(() => ['warn a is down: connection closed', 'log a is up']));
    expect(clock.timers).toBe(0);
  });

  it('has few lines where it does so twice a second for 20 s, and they say how often', async () => {
    await flap([down('a'), up('a')], { every: 250, during: 20_000 });
    await clock.advance(60_000);
    expect(lines).toEqual([
      'warn a is down: connection closed',
      'log a is up',
      'warn a is down: connection closed',
      'log a is up',
      expect.stringMatching(/^(log|warn) a is (up|down: connection closed) \(after \d+ more changes within 10 s\)$/),
      expect.stringMatching(/^log a is up \(after \d+ more changes within 10 s\)$/),
    ]);
    expect(told()).toBe(80);
    expect(clock.timers).toBe(0);
  });

  it('has the last state as its last line', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 1_900 });
    await clock.advance(10_000);
    expect(lines.at(-1)).toBe('warn a is down: connection closed (after 15 more changes within 10 s)');
  });

  it('tells each change again once it has been quiet', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 1_000 });
    await clock.advance(30_000);
    lines.length = 0;
    log.notify(down('a'));
    expect(lines).toEqual(['warn a is down: connection closed']);
  });

  it('says nothing less of the other nodes', async () => {
    await flap([down('a'), up('a')], { every: 100, during: 2_000 });
    log.notify(down('b'));
    expect(lines.at(-1)).toBe('warn b is down: connection closed');
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
    expect(lines.at(-1)).toBe('log a is up (after 6 more changes within 10 s)');
    await flap([down('a'), up('a')], { every: 100, during: 1_000 });
    expect(clock.timers).toBe(0);
  });
});
