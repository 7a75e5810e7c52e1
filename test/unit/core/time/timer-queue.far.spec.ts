import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue, type TimedTask } from '../../../../lib/core/time/timer-queue.js';
import { taskOf } from '../../../support/task.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('TimerQueue, with tasks that are due much later', () => {
  let clock: VirtualClock;
  let wakeUps: number;
  let timerQueue: TimerQueue;
  let done: string[];
  const note = (name: string): TimedTask => taskOf(() => void done.push(`${name} at ${clock.now().monotonic}`));

  beforeEach(() => {
    clock = new VirtualClock();
    wakeUps = 0;
    timerQueue = new TimerQueue({
      now: () => clock.now(),
      afterInput: (task) => clock.afterInput(task),
      nextTurn: (task) => clock.nextTurn(task),
      afterMicrotasks: (task) => clock.afterMicrotasks(task),
      schedule: (delay, task) =>
        clock.schedule(delay, () => {
          wakeUps += 1;
          task();
        }),
    });
    done = [];
  });

  it('runs each in its ms, whatever the others are due', async () => {
    const times = [9_999, 5_000, 1_001, 5_055, 4_993, 4_992, 4_991, 1_000, 5_056, 64_000];
    for (const time of times) timerQueue.add(time, note('task'));
    await clock.advance(70_000);
    expect(done).toEqual(times.sort((a, b) => a - b).map((time) => `task at ${time}`));
    expect(clock.timers).toBe(0);
  });

  it('runs a task at most one ms early, and not late', async () => {
    clock.block(0.3);
    timerQueue.add(5_000.4, note('task'));
    await clock.advance(10_000);
    expect(done).toEqual(['task at 5000']);
  });

  it('runs the tasks of one ms in the order in which they were added', async () => {
    for (const name of ['a', 'b', 'c', 'd']) timerQueue.add(5_000, note(name));
    await clock.advance(10_000);
    expect(done).toEqual(['a at 5000', 'b at 5000', 'c at 5000', 'd at 5000']);
  });

  it('puts what is near to what was far and is near by now', async () => {
    timerQueue.add(5_000, note('far'));
    await clock.advance(4_900);
    timerQueue.add(99, note('sooner'));
    timerQueue.add(101, note('later'));
    await clock.advance(1_000);
    expect(done).toEqual(['sooner at 4999', 'far at 5000', 'later at 5001']);
  });

  it('does not run what is taken back, before or after it has come near', async () => {
    const [early, late] = [note('early'), note('late')];
    for (const task of [early, late, note('kept')]) timerQueue.add(5_000, task);
    timerQueue.remove(early);
    await clock.advance(4_995);
    timerQueue.remove(late);
    await clock.advance(1_000);
    expect(done).toEqual(['kept at 5000']);
    expect(clock.timers).toBe(0);
  });

  it('leaves no timer behind when all of them were taken back', () => {
    const tasks = Array.from({ length: 100 }, () => note('task'));
    tasks.forEach((task, index) => timerQueue.add(5_000 + index, task));
    for (const task of tasks) timerQueue.remove(task);
    expect(clock.timers).toBe(0);
  });

  it('wakes up for many that are taken back in time only a few times: not for the ms of each', async () => {
    const tasks = Array.from({ length: 2_000 }, () => note('task'));
    tasks.forEach((task, index) => timerQueue.add(2_001 + index / 2, task));
    await clock.advance(1_900);
    for (const task of tasks) timerQueue.remove(task);
    timerQueue.add(60_000, note('kept'));
    await clock.advance(10_000);
    expect(done).toEqual([]);
    expect(wakeUps).toBeLessThan(12_000 / 500 + 1_000 / 64 + 5);
  });

  it('looks at those that are close to each other together, before the first of them is due', async () => {
    const looks = [4_993, 5_000, 5_055].map(async (time) => {
      const other = new VirtualClock();
      new TimerQueue(other).add(time, note('task'));
      await other.advance(4_900);
      return other.nextIn;
    });
    const [first, second, third] = await Promise.all(looks);
    expect([second, third]).toEqual([first, first]);
    expect(first).toBeLessThanOrEqual(93);
  });

  it('keeps the distance between those that a suspended machine did not run', async () => {
    timerQueue.add(60_000, note('first'));
    timerQueue.add(60_010, note('second'));
    await clock.advance(1_000);
    clock.suspend(57_000);
    await clock.advance(5_000);
    expect(done).toEqual(['first at 60000', 'second at 60010']);
  });

  it('bears as many due times as a busy process has locks', async () => {
    for (let delay = 1; delay <= 150_000; delay += 1)
      timerQueue.add(
        delay,
        taskOf(() => undefined),
      );
    timerQueue.add(1, note('task'));
    await clock.advance(1);
    expect(done).toEqual(['task at 1']);
  });
});
