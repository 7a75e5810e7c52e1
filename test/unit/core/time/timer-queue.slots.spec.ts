import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TimedTask } from '../../../../lib/core/time/timer-queue.js';
import { NotedQueue } from '../../../support/noted-queue.js';
import { SeededRandom } from '../../../support/seeded-random.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** Some of each width: from the delays of seconds to those of weeks there are some twenty widths. */
const MOST_SLOTS = 100;

describe('TimerQueue, whose slots stay when they are empty,', () => {
  let tasks: NotedQueue;
  /** How many slots it walked, each time that its timer ran. */
  let walked: number[];

  /** For an hour and more, adds tasks at all times, each of which is removed after `life` ms. Their delays differ in each ms. */
  const comeAndGo = async (delays: readonly number[], life: number): Promise<void> => {
    const there: TimedTask[] = [];
    for (let second = 0; second < 4_000; second += 1) {
      for (let index = 0; index < 25; index += 1) {
        const task = tasks.task('gone');
        tasks.queue.add(delays[index % delays.length]! + index * 37, task);
        there.push(task);
      }
      if (second * SECOND >= life) for (const task of there.splice(0, 25)) tasks.queue.remove(task);
      await tasks.clock.advance(SECOND);
    }
  };

  beforeEach(() => {
    tasks = new NotedQueue();
    walked = [];
    const { keys } = Map.prototype;
    jest.spyOn(Map.prototype, 'keys').mockImplementation(function (this: Map<unknown, unknown>) {
      walked.push(this.size);
      return Reflect.apply(keys, this, []);
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each<[string, readonly number[], number]>([
    ['in an hour, and leave again', [HOUR], 0],
    ['in an hour, and leave shortly before', [HOUR], 3_500 * SECOND],
    ['in seconds, hours, days and weeks', [1_500, 8 * SECOND, HOUR, DAY, 30 * DAY], 0],
  ])('has few of them for 100,000 tasks that are due %s', async (_case, delays, life) => {
    tasks.add(10 * DAY, 'kept');
    await comeAndGo(delays, life);
    expect(walked.length).toBeGreaterThan(4_000);
    expect(Math.max(...walked)).toBeLessThan(MOST_SLOTS);
    expect(tasks.done).toEqual([]);
  });

  it('runs each task in its ms, however far away it was, and whenever it was added', async () => {
    const random = new SeededRandom(7);
    const times: number[] = [];
    for (let count = 0; count < 2_000; count += 1) {
      const delay = Math.floor(HOUR ** random.fraction());
      times.push(tasks.clock.now().monotonic + delay);
      tasks.add(delay, 'task');
      await tasks.clock.advance(Math.floor(SECOND * random.fraction()));
    }
    await tasks.clock.advance(HOUR);
    expect(tasks.done).toEqual(times.sort((a, b) => a - b).map((time) => `task at ${time}`));
    expect(tasks.clock.timers).toBe(0);
  });
});
