import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue } from '../../../../lib/core/time/timer-queue.js';
import { AbortSource } from '../../../../lib/core/time/abort.js';
import { Wait } from '../../../../lib/core/time/wait.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('Wait', () => {
  let clock: VirtualClock;
  let timerQueue: TimerQueue;
  let closing: AbortSource;
  let told: unknown[];
  const begin = (delay: number, signal?: AbortSignal): Wait => {
    const wait = new Wait(
      timerQueue,
      { closing, signal },
      { timeout: () => told.push('timeout'), abort: (why) => told.push(why) },
    );
    timerQueue.add(delay, wait);
    return wait;
  };

  beforeEach(() => {
    clock = new VirtualClock();
    timerQueue = new TimerQueue(clock);
    closing = new AbortSource();
    told = [];
  });

  it('shares one timer with all others, and leaves none behind', async () => {
    const waits = Array.from({ length: 1_000 }, (_, index) => begin(5_000 + index));
    expect(clock.timers).toBe(1);
    for (const wait of waits) wait.stop();
    expect(clock.timers).toBe(0);
    await clock.advance(10_000);
    expect(told).toEqual([]);
  });

  it('ends by the clock of the machine, also where that was suspended meanwhile', async () => {
    begin(60_000);
    clock.suspend(70_000);
    await clock.advance(500);
    expect(told).toEqual(['timeout']);
  });

  it('ends once, however many callers end it', async () => {
    const caller = new AbortController();
    const reason = new Error('enough');
    begin(70, caller.signal);
    begin(80, caller.signal);
    begin(90);
    caller.abort(reason);
    expect(told).toEqual([reason, reason]);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    closing.stop(new RangeError('over'));
    expect(told).toEqual([reason, reason, new RangeError('over')]);
    await clock.advance(100);
    expect(told).toHaveLength(3);
    expect(clock.timers).toBe(0);
  });

  it('allows being ended twice', () => {
    const wait = begin(70);
    wait.stop();
    wait.stop();
    closing.stop(new Error('over'));
    expect(told).toEqual([]);
  });
});
