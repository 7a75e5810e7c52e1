import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue, type TimedTask } from '../../../../lib/core/time/timer-queue.js';
import { taskOf } from '../../../support/task.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('TimerQueue', () => {
  let clock: VirtualClock;
  let timerQueue: TimerQueue;
  let done: string[];
  const note = (name: string): TimedTask => taskOf(() => void done.push(`${name} at ${clock.now().monotonic}`));

  beforeEach(() => {
    clock = new VirtualClock();
    timerQueue = new TimerQueue(clock);
    done = [];
  });

  it('runs tasks in the order in which they are due', async () => {
    timerQueue.add(30, note('late'));
    timerQueue.add(10, note('early'));
    timerQueue.add(20, note('middle'));
    await clock.advance(100);
    expect(done).toEqual(['early at 10', 'middle at 20', 'late at 30']);
  });

  it('keeps that order where the process stood still meanwhile', async () => {
    timerQueue.add(30, note('late'));
    timerQueue.add(10, note('early'));
    clock.block(50);
    await clock.advance(100);
    expect(done).toEqual(['early at 50', 'late at 50']);
  });

  it('keeps one timer, whatever is on it', () => {
    for (let delay = 100; delay > 0; delay -= 1) timerQueue.add(delay, note('task'));
    expect(clock.timers).toBe(1);
    expect(clock.nextIn).toBe(1);
  });

  it('runs tasks of the same ms in one turn', async () => {
    timerQueue.add(10.2, note('first'));
    timerQueue.add(10.7, note('second'));
    await clock.advance(10);
    expect(done).toEqual(['first at 10', 'second at 10']);
  });

  it('runs a task at most one ms early, and not late', async () => {
    clock.block(0.4);
    timerQueue.add(10.5, note('task'));
    await clock.advance(20);
    expect(done).toEqual(['task at 10']);
  });

  it('does not run what was taken back', async () => {
    const removed = note('removed');
    timerQueue.add(10, removed);
    timerQueue.add(10, note('kept'));
    timerQueue.remove(removed);
    await clock.advance(20);
    expect(done).toEqual(['kept at 10']);
  });

  it('does not run what a task before it in the same ms takes back', async () => {
    const removed = note('removed');
    timerQueue.add(
      10,
      taskOf(() => timerQueue.remove(removed)),
    );
    timerQueue.add(10, removed);
    timerQueue.add(10, note('kept'));
    await clock.advance(20);
    expect(done).toEqual(['kept at 10']);
  });

  it('runs the tasks of one ms in the order in which they were added, whatever one of them takes back', async () => {
    const tasks = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => note(name));
    const [, b, c, , , f] = tasks;
    for (const task of tasks.slice(0, 3)) timerQueue.add(10, task);
    timerQueue.add(
      10,
      taskOf(() => [f, b].forEach((task) => timerQueue.remove(task!))),
    );
    for (const task of tasks.slice(3)) timerQueue.add(10, task);
    timerQueue.remove(c!);
    await clock.advance(20);
    expect(done).toEqual(['a at 10', 'b at 10', 'd at 10', 'e at 10']);
  });

  it('leaves no timer behind when everything was taken back', () => {
    const tasks = [note('a'), note('b')];
    tasks.forEach((task, index) => timerQueue.add(10 * (index + 1), task));
    for (const task of tasks) timerQueue.remove(task);
    expect(clock.timers).toBe(0);
  });

  it('takes back twice without harm', async () => {
    const [removed, kept] = [note('removed'), note('kept')];
    timerQueue.add(10, removed);
    timerQueue.remove(removed);
    timerQueue.add(10, kept);
    timerQueue.remove(removed);
    await clock.advance(20);
    expect(done).toEqual(['kept at 10']);
    timerQueue.remove(kept);
    timerQueue.add(10, note('later'));
    expect(clock.timers).toBe(1);
  });

  it.each([
    [30, 10],
    [10, 30],
  ])(
    'runs a task that was added for %i ms and then for %i ms once, at the time that was said last',
    async (was, is) => {
      const task = note('task');
      timerQueue.add(was, task);
      timerQueue.add(is, task);
      await clock.advance(100);
      expect(done).toEqual([`task at ${is}`]);
      expect(clock.timers).toBe(0);
    },
  );

  it('counts from the moment that it is given', async () => {
    const before = clock.now();
    clock.block(4);
    timerQueue.add(10, note('task'), before);
    await clock.advance(20);
    expect(done).toEqual(['task at 10']);
  });

  it('runs what a task adds, also itself', async () => {
    const again: TimedTask = taskOf(() => {
      done.push(`again at ${clock.now().monotonic}`);
      if (done.length < 3) timerQueue.add(5, again);
    });
    timerQueue.add(10, again);
    await clock.advance(30);
    expect(done).toEqual(['again at 10', 'again at 15', 'again at 20']);
    expect(clock.timers).toBe(0);
  });

  it('does not run in the same turn what a task adds without delay', async () => {
    timerQueue.add(
      10,
      taskOf(() => {
        timerQueue.add(0, note('added'));
        done.push('added it');
      }),
    );
    timerQueue.add(10, note('next'));
    await clock.advance(20);
    expect(done).toEqual(['added it', 'next at 10', 'added at 10']);
  });

  it('catches up after a blocked event loop, in order', async () => {
    timerQueue.add(10, note('first'));
    timerQueue.add(20, note('second'));
    clock.block(50);
    await clock.advance(0);
    expect(done).toEqual(['first at 50', 'second at 50']);
  });
});
