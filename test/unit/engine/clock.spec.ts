import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { elapsed, LONGEST_TIMER } from '../../../lib/engine/clock.js';
import { steadyClock, SystemClock } from '../../../lib/engine/system-clock.js';

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

describe('SystemClock', () => {
  const clock = new SystemClock();
  afterEach(() => void jest.useRealTimers());

  it.each<[string, Parameters<typeof jest.useFakeTimers>[0]]>([
    ['modern', {}],
    ['legacy', { legacyFakeTimers: true }],
    ['of a day in the past', { now: 0 }],
  ])('runs a task after its delay, also under fake timers: %s', async (_kind, fake) => {
    const since = clock.now();
    jest.useFakeTimers(fake);
    await new Promise<void>((resolve) => void clock.schedule(30, resolve));
    await new Promise<void>((resolve) => clock.nextTurn(resolve));
    await new Promise<void>((resolve) => clock.afterInput(resolve));
    expect(elapsed(since, clock.now())).toBeGreaterThanOrEqual(29);
    expect(clock.now().wall).toBeGreaterThanOrEqual(since.wall);
  });

  it('takes a task back', async () => {
    const task = jest.fn();
    clock.schedule(10, task)();
    await new Promise<void>((resolve) => void clock.schedule(30, resolve));
    expect(task).not.toHaveBeenCalled();
  });

  it.each([LONGEST_TIMER + 1, 2 ** 40, Infinity])(
    'does not run a task of %d ms at once, as Node would',
    async (delay) => {
      const task = jest.fn();
      const stop = clock.schedule(delay, task);
      await new Promise<void>((resolve) => void clock.schedule(20, resolve));
      stop();
      expect(task).not.toHaveBeenCalled();
    },
  );

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

describe('steadyClock', () => {
  it('goes on as the monotonic clock does, whatever the wall clock is set to', () => {
    let wall = 1_000_000;
    const clock = steadyClock(() => wall);
    const before = clock.now();
    wall += 3_600_000;
    const after = clock.now();
    expect(after.wall - before.wall).toBeCloseTo(elapsed(before, after), 0);
    expect(Math.abs(after.wall - 1_000_000)).toBeLessThan(1_000);
  });
});
