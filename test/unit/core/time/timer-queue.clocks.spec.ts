import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue } from '../../../../lib/core/time/timer-queue.js';
import type { Moment } from '../../../../lib/core/time/clock.js';
import { NotedQueue } from '../../../support/noted-queue.js';
import { taskOf } from '../../../support/task.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { withSchedule } from '../../../support/with-schedule.js';

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
  let tasks: NotedQueue;

  beforeEach(() => {
    tasks = new NotedQueue();
  });

  it('runs a task that is due later than the longest timer neither at once nor late', async () => {
    tasks.add(2 ** 31 + 5_000, 'task');
    expect(tasks.clock.nextIn).toBeLessThan(2 ** 31);
    tasks.clock.block(2 ** 31);
    await tasks.clock.advance(0);
    expect(tasks.done).toEqual([]);
    await tasks.clock.advance(5_000);
    expect(tasks.done).toEqual([`task at ${2 ** 31 + 5_000}`]);
  });

  it('runs soon after the machine was suspended what was due meanwhile, though timers stood still', async () => {
    tasks.add(60_000, 'due');
    tasks.add(120_000, 'not due');
    await tasks.clock.advance(1_000);
    tasks.clock.suspend(90_000);
    await tasks.clock.advance(1_000);
    expect(tasks.done).toEqual([expect.stringMatching(/^due at 91[0-9]{3}$/)]);
    await tasks.clock.advance(29_000);
    expect(tasks.done).toHaveLength(2);
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
    tasks.add(1_000, 'task');
    await tasks.clock.advance(100);
    tasks.clock.stepWall(-60_000);
    await tasks.clock.advance(1_000);
    expect(tasks.done).toEqual(['task at 1000']);
  });

  it('does not run early because the wall clock is set', async () => {
    tasks.add(1_000, 'task');
    for (const ms of [30, -40, 60_000, 35, -20]) {
      await tasks.clock.advance(200);
      tasks.clock.stepWall(ms);
    }
    expect(tasks.done).toEqual(['task at 1000']);
  });

  it('waits on when its timer comes early', async () => {
    const { clock } = tasks;
    const hasty = withSchedule(clock, (delay, task) => clock.schedule(Math.min(delay, 40), task));
    tasks = new NotedQueue(clock, hasty);
    tasks.add(100, 'task');
    await tasks.clock.advance(200);
    expect(tasks.done).toEqual(['task at 100']);
  });
});
