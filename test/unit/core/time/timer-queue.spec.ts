import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TimedTask } from '../../../../lib/core/time/timer-queue.js';
import { NotedQueue } from '../../../support/noted-queue.js';
import { taskOf } from '../../../support/task.js';

describe('TimerQueue', () => {
  let tasks: NotedQueue;

  beforeEach(() => {
    tasks = new NotedQueue();
  });

  it('runs tasks in the order in which they are due', async () => {
    tasks.add(30, 'late');
    tasks.add(10, 'early');
    tasks.add(20, 'middle');
    await tasks.clock.advance(100);
    expect(tasks.done).toEqual(['early at 10', 'middle at 20', 'late at 30']);
  });

  it('keeps that order where the process stood still meanwhile', async () => {
    tasks.add(30, 'late');
    tasks.add(10, 'early');
    tasks.clock.block(50);
    await tasks.clock.advance(100);
    expect(tasks.done).toEqual(['early at 50', 'late at 50']);
  });

  it('keeps one timer, whatever is on it', () => {
    for (let delay = 100; delay > 0; delay -= 1) tasks.add(delay, 'task');
    expect(tasks.clock.timers).toBe(1);
    expect(tasks.clock.nextIn).toBe(1);
  });

  it('runs tasks of the same ms in one turn', async () => {
    tasks.add(10.2, 'first');
    tasks.add(10.7, 'second');
    await tasks.clock.advance(10);
    expect(tasks.done).toEqual(['first at 10', 'second at 10']);
  });

  it('runs a task at most one ms early, and not late', async () => {
    tasks.clock.block(0.4);
    tasks.add(10.5, 'task');
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['task at 10']);
  });

  it('does not run what was taken back', async () => {
    const removed = tasks.task('removed');
    tasks.queue.add(10, removed);
    tasks.add(10, 'kept');
    tasks.queue.remove(removed);
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['kept at 10']);
  });

  it('does not run what a task before it in the same ms takes back', async () => {
    const removed = tasks.task('removed');
    tasks.queue.add(
      10,
      taskOf(() => tasks.queue.remove(removed)),
    );
    tasks.queue.add(10, removed);
    tasks.add(10, 'kept');
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['kept at 10']);
  });

  it('runs the tasks of one ms in the order in which they were added, whatever one of them takes back', async () => {
    const several = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => tasks.task(name));
    const [, b, c, , , f] = several;
    for (const task of several.slice(0, 3)) tasks.queue.add(10, task);
    tasks.queue.add(
      10,
      taskOf(() => [f, b].forEach((task) => tasks.queue.remove(task!))),
    );
    for (const task of several.slice(3)) tasks.queue.add(10, task);
    tasks.queue.remove(c!);
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['a at 10', 'b at 10', 'd at 10', 'e at 10']);
  });

  it('leaves no timer behind when everything was taken back', () => {
    const several = [tasks.task('a'), tasks.task('b')];
    several.forEach((task, index) => tasks.queue.add(10 * (index + 1), task));
    for (const task of several) tasks.queue.remove(task);
    expect(tasks.clock.timers).toBe(0);
  });

  it('takes back twice without harm', async () => {
    const [removed, kept] = [tasks.task('removed'), tasks.task('kept')];
    tasks.queue.add(10, removed);
    tasks.queue.remove(removed);
    tasks.queue.add(10, kept);
    tasks.queue.remove(removed);
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['kept at 10']);
    tasks.queue.remove(kept);
    tasks.add(10, 'later');
    expect(tasks.clock.timers).toBe(1);
  });

  it.each([
    [30, 10],
    [10, 30],
  ])(
    'runs a task that was added for %i ms and then for %i ms once, at the time that was said last',
    async (was, is) => {
      const task = tasks.task('task');
      tasks.queue.add(was, task);
      tasks.queue.add(is, task);
      await tasks.clock.advance(100);
      expect(tasks.done).toEqual([`task at ${is}`]);
      expect(tasks.clock.timers).toBe(0);
    },
  );

  it('counts from the moment that it is given', async () => {
    const before = tasks.clock.now();
    tasks.clock.block(4);
    tasks.add(10, 'task', before);
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['task at 10']);
  });

  it('runs what a task adds, also itself', async () => {
    const again: TimedTask = taskOf(() => {
      tasks.done.push(`again at ${tasks.clock.now().monotonic}`);
      if (tasks.done.length < 3) tasks.queue.add(5, again);
    });
    tasks.queue.add(10, again);
    await tasks.clock.advance(30);
    expect(tasks.done).toEqual(['again at 10', 'again at 15', 'again at 20']);
    expect(tasks.clock.timers).toBe(0);
  });

  it('does not run in the same turn what a task adds without delay', async () => {
    tasks.queue.add(
      10,
      taskOf(() => {
        tasks.add(0, 'added');
        tasks.done.push('added it');
      }),
    );
    tasks.add(10, 'next');
    await tasks.clock.advance(20);
    expect(tasks.done).toEqual(['added it', 'next at 10', 'added at 10']);
  });

  it('catches up after a blocked event loop, in order', async () => {
    tasks.add(10, 'first');
    tasks.add(20, 'second');
    tasks.clock.block(50);
    await tasks.clock.advance(0);
    expect(tasks.done).toEqual(['first at 50', 'second at 50']);
  });
});
