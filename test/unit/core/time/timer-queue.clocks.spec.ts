import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue, type TimedTask } from '../../../../lib/core/time/timer-queue.js';
import type { Moment } from '../../../../lib/core/time/clock.js';
import { taskOf } from '../../../support/task.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

/** Tells of a suspension, as the machine's clock does: when it is asked for the time. */
class TellingClock extends VirtualClock {
  #tell: () => void = () => undefined;
  #hasNews = false;

  whenResumed(tell: () => void): void {
    this.#tell = tell;
  }

  override suspend(ms: number): void {
    super.suspend(ms);
    this.#hasNews = true;
  }

  override now(): Moment {
    if (this.#hasNews) {
      this.#hasNews = false;
      this.#tell();
    }
    return super.now();
  }
}

describe('TimerQueue, whatever the clocks do', () => {
  let clock: VirtualClock;
  let timerQueue: TimerQueue;
  let done: string[];
  const note = (name: string): TimedTask => taskOf(() => void done.push(`${name} at ${clock.now().monotonic}`));

  beforeEach(() => {
    clock = new VirtualClock();
    timerQueue = new TimerQueue(clock);
    done = [];
  });

  it('runs a task that is due later than the longest timer neither at once nor late', async () => {
    timerQueue.add(2 ** 31 + 5_000, note('task'));
    expect(clock.nextIn).toBeLessThan(2 ** 31);
    clock.block(2 ** 31);
    await clock.advance(0);
    expect(done).toEqual([]);
    await clock.advance(5_000);
    expect(done).toEqual([`task at ${2 ** 31 + 5_000}`]);
  });

  it('runs soon after the machine was suspended what was due meanwhile, though timers stood still', async () => {
    timerQueue.add(60_000, note('due'));
    timerQueue.add(120_000, note('not due'));
    await clock.advance(1_000);
    clock.suspend(90_000);
    await clock.advance(1_000);
    expect(done).toEqual([expect.stringMatching(/^due at 91[0-9]{3}$/)]);
    await clock.advance(29_000);
    expect(done).toHaveLength(2);
  });

  it('is on time after a suspension of which its clock tells, though the timer that was set before stood still', async () => {
    const telling = new TellingClock();
    const planned = new TimerQueue(telling);
    const ran: string[] = [];
    planned.add(
      1_000,
      taskOf(() => void ran.push(`at ${telling.now().monotonic}`)),
    );
    await telling.advance(800);
    telling.suspend(100);
    telling.now();
    await telling.advance(1_000);
    expect(ran).toEqual(['at 1000']);
  });

  it('leaves no timer behind where it is told while it sets one', async () => {
    const telling = new TellingClock();
    const planned = new TimerQueue(telling);
    const ran: number[] = [];
    planned.add(
      400,
      taskOf(() => void ran.push(telling.now().monotonic)),
    );
    telling.suspend(100);
    planned.add(
      50,
      taskOf(() => void ran.push(telling.now().monotonic)),
      { monotonic: 100, wall: 0 },
    );
    expect(telling.timers).toBe(1);
    await telling.advance(1_000);
    expect([ran, telling.timers]).toEqual([[150, 400], 0]);
  });

  it('does not run late because the wall clock was set back', async () => {
    timerQueue.add(1_000, note('task'));
    await clock.advance(100);
    clock.stepWall(-60_000);
    await clock.advance(1_000);
    expect(done).toEqual(['task at 1000']);
  });

  it('does not run early because the wall clock is set', async () => {
    timerQueue.add(1_000, note('task'));
    for (const ms of [30, -40, 60_000, 35, -20]) {
      await clock.advance(200);
      clock.stepWall(ms);
    }
    expect(done).toEqual(['task at 1000']);
  });

  it('waits on when its timer comes early', async () => {
    const hasty = new TimerQueue({
      now: () => clock.now(),
      afterInput: (task) => clock.afterInput(task),
      nextTurn: (task) => clock.nextTurn(task),
      afterMicrotasks: (task) => clock.afterMicrotasks(task),
      schedule: (delay, task) => clock.schedule(Math.min(delay, 40), task),
    });
    hasty.add(100, note('task'));
    await clock.advance(200);
    expect(done).toEqual(['task at 100']);
  });
});
