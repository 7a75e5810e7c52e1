import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ReusingClock } from '../../../../lib/core/time/reusing-clock.js';

describe('ReusingClock', () => {
  let clock: ReusingClock;
  let done: string[];
  const task = (name: string) => () => void done.push(name);
  const setTimers = (): number => jest.mocked(setTimeout).mock.calls.length;

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(globalThis, 'setTimeout');
    clock = new ReusingClock();
    done = [];
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('makes one timer for tasks that are taken back one after the other', () => {
    for (let turn = 0; turn < 100; turn += 1) clock.schedule(50, task('never'))();
    expect(setTimers()).toBe(1);
    jest.advanceTimersByTime(1_000);
    expect(done).toEqual([]);
  });

  it('runs a task when it is due, though the timer that it got rings earlier', () => {
    clock.schedule(50, task('never'))();
    jest.advanceTimersByTime(30);
    clock.schedule(50, task('second'));
    jest.advanceTimersByTime(49);
    expect([done, setTimers()]).toEqual([[], 2]);
    jest.advanceTimersByTime(1);
    expect(done).toEqual(['second']);
  });

  it('runs a task in time that is due before the timer rings that was taken back', () => {
    clock.schedule(50, task('never'))();
    clock.schedule(10, task('soon'));
    jest.advanceTimersByTime(10);
    expect(done).toEqual(['soon']);
  });

  it('runs tasks of the same time side by side', () => {
    clock.schedule(50, task('never'))();
    clock.schedule(60, task('one'));
    clock.schedule(60, task('other'));
    jest.advanceTimersByTime(60);
    expect(done.toSorted()).toEqual(['one', 'other']);
  });

  it('takes a task back twice, and after it ran, without harm to the next task that gets the timer', () => {
    const stop = clock.schedule(50, task('never'));
    stop();
    const stopNext = clock.schedule(50, task('next'));
    stop();
    jest.advanceTimersByTime(50);
    stop();
    stopNext();
    clock.schedule(50, task('last'));
    stop();
    stopNext();
    jest.advanceTimersByTime(50);
    expect(done).toEqual(['next', 'last']);
  });

  it('keeps the process alive only for tasks that are still to run, not for those that were taken back', () => {
    const timers = jest.mocked(setTimeout).mock.results;
    clock.schedule(50, task('never'))();
    const timer = timers[0]!.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    clock.schedule(50, task('next'));
    expect(timer.hasRef()).toBe(true);
  });

  it('keeps one timer at most for what may come', () => {
    const stops = [50, 20, 80].map((delay) => clock.schedule(delay, task('never')));
    for (const stop of stops) stop();
    expect(jest.getTimerCount()).toBe(1);
    clock.schedule(20, task('next'));
    expect(setTimers()).toBe(3);
  });

  it('leaves nothing behind when what was taken back would have been due', () => {
    clock.schedule(50, task('never'))();
    jest.advanceTimersByTime(50);
    expect(jest.getTimerCount()).toBe(0);
    clock.schedule(50, task('next'));
    jest.advanceTimersByTime(50);
    expect(done).toEqual(['next']);
  });

  it('runs a task where a test moves timers, but not the time', () => {
    jest.restoreAllMocks();
    jest.useFakeTimers({ doNotFake: ['performance'] });
    clock.schedule(5_000, task('never'))();
    clock.schedule(6_000, task('next'));
    jest.advanceTimersByTime(6_010);
    expect(done).toEqual(['next']);
  });

  it('runs a task soon that the event loop was late for', () => {
    clock.schedule(50, task('never'))();
    jest.advanceTimersByTime(10);
    clock.schedule(50, task('next'));
    const now = performance.now() + 60;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.advanceTimersToNextTimer();
    expect(done).toEqual(['next']);
  });

  it('relies on no timer of a test that has ended', () => {
    clock.schedule(50, task('never'))();
    jest.restoreAllMocks();
    jest.useRealTimers();
    jest.useFakeTimers();
    clock.schedule(50, task('next'));
    jest.advanceTimersByTime(50);
    expect(done).toEqual(['next']);
  });
});
