import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RecentAnswer } from '../../../lib/terminus/redlock-health.indicator.js';

describe('an answer that is shared', () => {
  let recent: RecentAnswer<number>;
  let asked: number;
  let now: number;
  const ask = async (): Promise<number> => (asked += 1);
  const pass = (ms: number): void => {
    now += ms;
  };

  beforeEach(() => {
    now = 0;
    recent = new RecentAnswer(() => now);
    asked = 0;
  });

  it('is fetched once for all callers within a second, and again after that', async () => {
    const first = Array.from({ length: 1_000 }, () => recent.from(ask));
    expect(new Set(await Promise.all(first))).toEqual(new Set([1]));
    pass(999);
    expect(await recent.from(ask)).toBe(1);
    pass(1);
    expect(await recent.from(ask)).toBe(2);
    expect(asked).toBe(2);
  });

  it('is not asked for while it is still on its way, and then at once', async () => {
    let answer: (value: number) => void = () => undefined;
    const slow = jest.fn(() => new Promise<number>((resolve) => (answer = resolve)));
    const first = recent.from(slow);
    pass(5_000);
    const second = recent.from(slow);
    expect(slow).toHaveBeenCalledTimes(1);
    answer(7);
    expect(await Promise.all([first, second])).toEqual([7, 7]);
    expect(await recent.from(ask)).toBe(1);
  });

  it('is an error for as long where the question failed', async () => {
    const fail = jest.fn(async () => Promise.reject<number>(new Error('closed')));
    await expect(recent.from(fail)).rejects.toThrow('closed');
    pass(999);
    await expect(recent.from(fail)).rejects.toThrow('closed');
    expect(fail).toHaveBeenCalledTimes(1);
    pass(1);
    expect(await recent.from(ask)).toBe(1);
  });
});
