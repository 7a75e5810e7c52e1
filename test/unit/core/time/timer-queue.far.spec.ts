import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue } from '../../../../lib/core/time/timer-queue.js';
import { NotedQueue } from '../../../support/noted-queue.js';
import { taskOf } from '../../../support/task.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { withSchedule } from '../../../support/with-schedule.js';

describe('TimerQueue, with tasks that are due much later', () => {
  let tasks: NotedQueue;
  let wakeUps: number;

  beforeEach(() => {
    const clock = new VirtualClock();
    const counting = withSchedule(clock, (delay, task) =>
      clock.schedule(delay, () => {
        wakeUps += 1;
        task();
      }),
    );
    wakeUps = 0;
    tasks = new NotedQueue(clock, counting);
  });

  it('runs each in its ms, whatever the others are due', async () => {
    const times = [9_999, 5_000, 1_001, 5_055, 4_993, 4_992, 4_991, 1_000, 5_056, 64_000];
    for (const time of times) tasks.add(time, 'task');
    await tasks.clock.advance(70_000);
    expect(tasks.done).toEqual(times.sort((a, b) => a - b).map((time) => `task at ${time}`));
    expect(tasks.clock.timers).toBe(0);
  });

  it('runs a task at most one ms early, and not late', async () => {
    tasks.clock.block(0.3);
    tasks.add(5_000.4, 'task');
    await tasks.clock.advance(10_000);
    expect(tasks.done).toEqual(['task at 5000']);
  });

  it('runs the tasks of one ms in the order in which they were added', async () => {
    for (const name of ['a', 'b', 'c', 'd']) tasks.add(5_000, name);
    await tasks.clock.advance(10_000);
    expect(tasks.done).toEqual(['a at 5000', 'b at 5000', 'c at 5000', 'd at 5000']);
  });

  it('keeps the order of tasks that were added as near and tasks that were far and have come near', async () => {
    tasks.add(5_000, 'far');
    await tasks.clock.advance(4_900);
    tasks.add(99, 'sooner');
    tasks.add(101, 'later');
    await tasks.clock.advance(1_000);
    expect(tasks.done).toEqual(['sooner at 4999', 'far at 5000', 'later at 5001']);
  });

  it('does not run what is taken back, before or after it has come near', async () => {
    const [early, late] = [tasks.task('early'), tasks.task('late')];
    for (const task of [early, late, tasks.task('kept')]) tasks.queue.add(5_000, task);
    tasks.queue.remove(early);
    await tasks.clock.advance(4_995);
    tasks.queue.remove(late);
    await tasks.clock.advance(1_000);
    expect(tasks.done).toEqual(['kept at 5000']);
    expect(tasks.clock.timers).toBe(0);
  });

  it('leaves no timer behind when all of them were taken back', () => {
    const several = Array.from({ length: 100 }, () => tasks.task('task'));
    several.forEach((task, index) => tasks.queue.add(5_000 + index, task));
    for (const task of several) tasks.queue.remove(task);
    expect(tasks.clock.timers).toBe(0);
  });

  it('wakes up for many that are taken back in time only a few times: not for the ms of each', async () => {
    const several = Array.from({ length: 2_000 }, () => tasks.task('task'));
    several.forEach((task, index) => tasks.queue.add(2_001 + index / 2, task));
    await tasks.clock.advance(1_900);
    for (const task of several) tasks.queue.remove(task);
    tasks.add(60_000, 'kept');
    await tasks.clock.advance(10_000);
    expect(tasks.done).toEqual([]);
    expect(wakeUps).toBeLessThan(12_000 / 500 + 1_000 / 64 + 5);
  });

  it('looks at those that are close to each other together, before the first of them is due', async () => {
    const looks = [4_993, 5_000, 5_055].map(async (time) => {
      const other = new VirtualClock();
      new TimerQueue(other).add(time, tasks.task('task'));
      await other.advance(4_500);
      return other.nextIn;
    });
    const [first, second, third] = await Promise.all(looks);
    expect([second, third]).toEqual([first, first]);
    expect(first).toBeLessThanOrEqual(493);
  });

  it('keeps the distance between those that a suspended machine did not run', async () => {
    tasks.add(60_000, 'first');
    tasks.add(60_010, 'second');
    await tasks.clock.advance(1_000);
    tasks.clock.suspend(57_000);
    await tasks.clock.advance(5_000);
    expect(tasks.done).toEqual(['first at 60000', 'second at 60010']);
  });

  it('handles as many due times as a busy process has locks', async () => {
    for (let delay = 1; delay <= 150_000; delay += 1)
      tasks.queue.add(
        delay,
        taskOf(() => undefined),
      );
    tasks.add(1, 'task');
    await tasks.clock.advance(1);
    expect(tasks.done).toEqual(['task at 1']);
  });
});
