import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { elapsed, LONGEST_TIMER, type Clock } from '../../../../lib/core/time/clock.js';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { ReusingClock } from '../../../../lib/core/time/reusing-clock.js';

const at = (monotonic: number, wall: number) => ({ monotonic, wall });

describe('elapsed', () => {
  it.each([
    ['both clocks agree', at(0, 1_000), at(50, 1_050), 50],
    ['the wall clock was stepped forward', at(0, 1_000), at(50, 61_050), 50],
    ['the wall clock was stepped back', at(0, 1_000), at(50, -58_950), 50],
  ])('where %s', (_case, since, now, ms) => {
    expect(elapsed(since, now)).toBe(ms);
  });
});

describe.each([
  ['SystemClock', () => new SystemClock()],
  ['ThriftyClock', () => new ReusingClock()],
])('%s', (_name, make) => {
  let clock: Clock;
  beforeEach(() => {
    clock = make();
  });
  afterEach(() => void jest.useRealTimers());

  it('tells the time on both clocks', () => {
    const before = Date.now();
    const { monotonic, wall } = clock.now();
    expect(monotonic).toBeLessThanOrEqual(performance.now());
    expect(wall).toBeGreaterThanOrEqual(before);
  });

  it('runs a task after its delay', () => {
    jest.useFakeTimers();
    const task = jest.fn();
    clock.schedule(30, task);
    jest.advanceTimersByTime(29);
    expect(task).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(task).toHaveBeenCalledTimes(1);
  });

  it('takes a task back', () => {
    jest.useFakeTimers();
    const task = jest.fn();
    clock.schedule(30, task)();
    jest.advanceTimersByTime(100);
    expect(task).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([2 ** 31, 2 ** 40, Infinity])('does not run a task of %d ms at once, as Node would', (delay) => {
    const setTimer = jest.spyOn(globalThis, 'setTimeout');
    const stop = clock.schedule(delay, () => undefined);
    stop();
    expect(setTimer.mock.lastCall?.[1]).toBe(LONGEST_TIMER);
    setTimer.mockRestore();
  });

  it('puts a task behind input that has already arrived', async () => {
    const order: string[] = [];
    const done = new Promise<void>((resolve) => {
      clock.afterInput(() => {
        order.push('task');
        resolve();
      });
    });
    queueMicrotask(() => order.push('microtask'));
    await done;
    expect(order).toEqual(['microtask', 'task']);
  });
});
